/* template: what a file needs that is included several times, each time with other values of some macros, and makes
 * other functions each time.
 *
 * Its functions need names that differ, so their names end in the value of a macro: JOINED(fft, RADIX) is fft16 if
 * RADIX is 16. A macro may be a list, such as the radices of all stages: CALL(NUMBER_2, LIST) is its second member.
 */
#define JOINED(name, value) JOIN(name, value)
#define JOIN(name, value) name##value

#define CALL(macro, ...) macro(__VA_ARGS__)
#define NUMBER_1(a, ...) a
#define NUMBER_2(a, b, ...) b
#define NUMBER_3(a, b, c, ...) c
#define NUMBER_4(a, b, c, d, ...) d
#define NUMBER_5(a, b, c, d, e, ...) e
#define NUMBER_6(a, b, c, d, e, f, ...) f
#define NUMBER_7(a, b, c, d, e, f, g, ...) g
#define NUMBER_8(a, b, c, d, e, f, g, h, ...) h
