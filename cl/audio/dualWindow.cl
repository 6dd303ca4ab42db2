/* dualWindow: what the dual window cannot know about samples near both ends of a signal.
 *
 * A signal is the sum of its frames, each times the dual window: the window, divided by the sum of the window's squares in
 * all frames that hold a sample. Near both ends of a signal, some of these frames do not exist. The squares of the dual
 * window tell how much their sum lacks:
 *
 *     all     the dual window's squares, added up over all frames that would hold a sample  =  1 / D
 *     found   its squares, added up over those of the frames that exist                     =  P / D^2
 *
 * Here D is the sum of the window's squares in all frames, and P is the sum of them in the frames that exist. So the sample
 * is the sum of its frames times D / P = all / found. If P is not above the smallest normal number, nothing is to be
 * divided, and D undoes the dual window's own division. If D is not, the dual window is the window itself.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#define SMALLEST_NORMAL as_real((bits)1 << (DOUBLE ? 52 : 23))

/* A sample, if its frames times the dual window add up to `sum`. All three arguments may be vectors of samples. */
#define SAMPLE_NEAR_END(sum, all, found)                                                                               \
    ((all) > SMALLEST_NORMAL                                                                                           \
         ? ((found) / (all) / (all) > SMALLEST_NORMAL ? (sum) * ((all) / (found)) : (sum) / (all))                     \
         : (sum))
