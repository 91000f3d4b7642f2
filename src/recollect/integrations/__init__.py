"""Agent programs that report to a memory: one package each, see `hook_event.ClientHooks`."""
