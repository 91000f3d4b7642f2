"""Programs that speak MCP: the file and form in which each names its servers."""
