"""The asynchronous edge: every call of a memory, awaited. The logic is that of the memory itself."""
