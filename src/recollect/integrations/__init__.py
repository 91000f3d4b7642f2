"""Agent programs that report to this memory: one room for each, see `hook_event.ClientHooks`."""
