"""OpenClaw: the plugin for its memory slot, and what puts it there."""
