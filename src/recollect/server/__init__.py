"""The memory over HTTP, for agents on the user's machine."""
