"""Applications on top of the transforms: image filters today, audio and convolution to come."""
