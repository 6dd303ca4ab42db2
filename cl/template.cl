/* template: what a file needs that is included several times, each time with other values of some macros, and makes
 * other functions each time.
 *
 * Its functions need names that differ, so their names end in the value of a macro: JOINED(fft, RADIX) is fft16 if
 * RADIX is 16. A macro may be a list, such as the radices of all stages: CALL(NUMBER_2, (LIST)) is its second member.
 */
#define JOINED(name, value) JOIN(name, value)
#define JOIN(name, value) name##value

/* Lists have eight members, and parentheses around them where they are an argument: OpenCL C 1.2 has no macros with
 * a variable number of arguments. */
#define CALL(macro, list) macro list
#define NUMBER_1(a, b, c, d, e, f, g, h) a
#define NUMBER_2(a, b, c, d, e, f, g, h) b
#define NUMBER_3(a, b, c, d, e, f, g, h) c
#define NUMBER_4(a, b, c, d, e, f, g, h) d
#define NUMBER_5(a, b, c, d, e, f, g, h) e
#define NUMBER_6(a, b, c, d, e, f, g, h) f
#define NUMBER_7(a, b, c, d, e, f, g, h) g
#define NUMBER_8(a, b, c, d, e, f, g, h) h
