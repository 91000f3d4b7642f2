"""Governance: what is removed for good, and what stays of it. Floor 3."""
