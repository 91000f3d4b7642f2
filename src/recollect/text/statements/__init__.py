"""Statements: what a message states that a memory keeps, found by rules of every language.

One detector for facts, what replaces them, flush, summaries, episodes and types of observations.
"""
