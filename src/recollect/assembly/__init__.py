"""The composition root: builds every part of a memory from its home folder.

Floor 4, below the facade in `memory`. `ground` opens what everything stands on, `sources` finds
the texts besides our own sessions, `parts` puts all of it together.
"""
