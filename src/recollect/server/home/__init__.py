"""The home for its operator: status, doctor, settings, agent programs."""
