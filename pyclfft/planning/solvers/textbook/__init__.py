"""Algorithms as textbooks and reports describe them, to learn from and to measure."""
