"""The viewer: a page that shows what the agent remembers, and the files that it is made of."""
