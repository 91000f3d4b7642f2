"""Public test tools: what a third-party engine, embedder or integration is proved with."""
