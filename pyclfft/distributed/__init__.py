"""Transforms over many processes, devices or machines, and the direct transform."""
