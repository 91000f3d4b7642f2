"""The asynchronous edge: every call of a memory, to be awaited. It has no logic of its own."""
