"""Summaries by rule: the important lines, the statements of a sentence, the claims of a model."""
