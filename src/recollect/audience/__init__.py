"""Who may hear: accounts, the owner, session keys, and the visibility groups that follow from them.

Rooms above ask it and decide nothing of it themselves.
"""
