/* dualWindow: what the dual window cannot know of the samples near both ends of a signal.
 *
 * A signal is the sum of its frames, each times the dual window: the window over the sum of the window's squares in all
 * frames that hold a sample. Near both ends of a signal, some of these frames do not exist. The squares of the dual window
 * tell what the sum of the window's squares is:
 *
 *     all     the sum of the dual window's squares in all frames     =  1 / (the window's sum in all frames)
 *     found   the same sum in those of the frames that exist         =  (the window's sum in these frames) * all^2
 *
 * audio/windows.py leaves the window as it is, where its sum in all frames is not above the smallest normal number. Where
 * the sum in those frames that exist is not, the sample is not divided either.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#define SMALLEST_NORMAL as_real((bits)1 << (DOUBLE ? 52 : 23))

/* The sample, of which `sum` is the sum of its frames times the dual window. For vectors, too. */
#define SAMPLE_NEAR_END(sum, all, found)                                                                               \
    ((all) > SMALLEST_NORMAL                                                                                           \
         ? ((found) / (all) / (all) > SMALLEST_NORMAL ? (sum) * ((all) / (found)) : (sum) / (all))                     \
         : (sum))
