"""Tuning: measuring which parameters are the fastest on a device, and keeping them."""
