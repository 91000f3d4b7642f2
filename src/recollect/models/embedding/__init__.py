"""Embedders: the port, the remote providers, their wires and batch jobs."""
