"""Commands of what is known: facts, episodes, and who is one person."""
