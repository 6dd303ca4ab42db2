"""Transforms of data that lies in parts: on several devices, machines or workers."""
