"""Programs that speak MCP: where each names its servers, and how."""
