"""The composition root: builds every part of a memory from its home folder.

Floor 4, below the facade in `memory`. `resources` opens what everything else needs, `sources` finds
the texts besides our own sessions, `components` puts all of it together.
"""
