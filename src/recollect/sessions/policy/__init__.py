"""How a session is served: whose turns they are, modes, history, freshness."""
