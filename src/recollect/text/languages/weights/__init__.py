"""Weights by which clauses are judged, made by ``scripts/statement_weights.py``."""
