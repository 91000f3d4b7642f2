"""Vectors of chunks: half-precision rows as the truth, 1-bit codes in memory for the scan."""
