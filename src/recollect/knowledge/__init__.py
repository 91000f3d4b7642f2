"""What is known: facts about people and projects, what replaced them, and their history.

Values in, rows out. What an asker hears of a fact is decided by the place that its row has, see
`audience.visibility`.
"""
