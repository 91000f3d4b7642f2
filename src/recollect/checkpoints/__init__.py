"""Checkpoints: the state of files before an agent changes them, and the way back.

`tree` reads and writes below one root, `contents` keeps the bytes, `capture` records states before
and after a tool, `plan` says what a rewind would do, and `operations` does it, crash-safe.
"""
