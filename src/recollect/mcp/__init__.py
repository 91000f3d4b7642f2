"""The memory as an MCP server: tools, resources and prompts, over stdio and streamable HTTP.

Imported only by who serves: the packages it needs are the extra ``mcp``.
"""
