"""What is known: facts about people and projects, what replaced them, and their history.

Values in, rows out. What an asker hears of a fact is decided by where its row says that it
was said, see `audience.visibility`.
"""
