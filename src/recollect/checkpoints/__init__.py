"""Checkpoints: the state of files before an agent changes them, and the way back.

`tree` reads and writes below one root, `contents` keeps the bytes, `capture` records states before
and after a tool, `plan` says what a rewind would do, and `rewinds` does it, crash-safe. `manifest`
keeps what a whole root was: `scan` walks it, `watch` tells where to look, and `git_index` and
`git_objects` know what git has.
"""
