"""Language models: the port, the providers, JSON answers."""
