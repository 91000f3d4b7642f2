"""OpenClaw: the plugin for its memory slot, and its installation."""
