"""What the agent did or saw, in which project, and what is not captured.

Observations are classified, shortened, and read back by number. What an asker hears of a session is
resolved above, see `audience.Resolve`.
"""
