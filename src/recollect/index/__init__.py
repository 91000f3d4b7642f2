"""Floor 2: documents and chunks, their terms and vectors, and the one search over them.

Everything in here is derived: it learns of records only through `Document` values and can be
deleted and built again at any time.
"""
