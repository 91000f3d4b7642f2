"""How a session is served: turns, modes, history, freshness."""
