"""The textbook's algorithms, to learn from and to measure: one launch for each step."""
