"""Images: filters in the frequency domain, and the formats of image files."""
