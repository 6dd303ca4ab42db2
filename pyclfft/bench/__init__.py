"""Benchmark: cases as data, contenders, the alternating measurement, and what is shown of it."""
