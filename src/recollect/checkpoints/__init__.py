"""Checkpoints: what files were before an agent changed them, and the way back.

`files` reads and writes below one root, `record` stores states and bytes, `capture` looks before
and after a tool, `rewind` plans and does the way back, crash-safe. `checkpoints` is what a memory
hands out.
"""
