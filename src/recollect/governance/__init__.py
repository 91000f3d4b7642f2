"""Governance: what is removed for good, and what is kept of it. Floor 3."""
