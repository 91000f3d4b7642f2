"""Data in and out of a memory: the calls of the facade, and what they are made with."""
