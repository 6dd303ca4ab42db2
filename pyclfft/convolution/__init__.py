"""Convolution and correlation of signals and images, and how far one image has moved."""
