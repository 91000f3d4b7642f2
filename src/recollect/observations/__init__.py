"""What the agent did or saw, in which project, and what is not captured.

Observations are classified, shortened, and read back by number. Nothing here knows who hears a
session: that is said from above, see `observation.Hearer`.
"""
