"""Who hears a session and how it is served: visibility, modes, history, freshness."""
