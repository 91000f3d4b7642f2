"""Summaries by rule: the lines that matter, what a sentence states, what a model may say of it."""
