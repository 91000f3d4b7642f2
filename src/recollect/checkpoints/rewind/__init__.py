"""The way back: plans, merges, and rewinds that are done whole or not at all."""
