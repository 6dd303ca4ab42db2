"""Sounds: frames and their transforms, onsets, notes, sound files, and pictures of spectra."""
