"""What goes into a prompt by itself: candidates and their words, the block, the record of it.

Rooms, each importing only the ones before it: `block`, `candidates`, `injections`, `recalled` and
`said`, then `contexts`, the use case, and `sections`.
"""
