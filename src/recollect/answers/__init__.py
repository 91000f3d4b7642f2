"""What HTTP, MCP and ``--json`` answer: one file a noun, one struct an answer.

A struct says its fields, their types, and how it is made of the memory's value; the schemas of
OpenAPI, of the tools of MCP and of ``--json`` are read off it. Where two surfaces answer the same
they use the same struct; one that says more extends it. What only one command says, such as the
state of a service, stays with that command.
"""
