"""Language models: the port, the providers, answers that are JSON."""
