/* dualWindow: how samples make up for frames that do not exist.
 *
 * The dual window is the window, divided by the sum D of the window's squares in all frames that hold a sample. So frames
 * times the dual window add up to the signal. Near both ends of the signal, or of the stretch of it that a launch computes,
 * some of these frames do not exist, and the sum is to be divided by the window's squares in the others instead.
 *
 * D needs no table: 1 / D is the sum of the dual window's squares. Times D, the dual window is the window again. The dual
 * window is the window itself where D is not above the smallest normal number. (Windows of about 1e19 in single precision,
 * whose 1 / D is not above it, are taken for such windows near the ends.)
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#define SMALLEST_NORMAL as_real((bits)1 << (DOUBLE ? 52 : 23))

/* D, or 1 where nothing has been divided. The argument is the sum of the dual window's squares in all frames. It may be a
 * vector, of several samples; so may the arguments of the next macro. */
#define DIVISOR(all) ((all) > SMALLEST_NORMAL ? 1 / (all) : (all) * 0 + 1)

/* A sample. `sum` is the sum of its frames times the dual window, and `found` is the sum of the window's squares in the
 * frames that exist. */
#define SAMPLE_NEAR_END(sum, divisor, found)                                                                           \
    ((found) > SMALLEST_NORMAL ? (sum) * (divisor) / (found) : (sum) * (divisor))
