"""Channels: over which people write to the agent, and are answered."""
