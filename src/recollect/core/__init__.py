"""Floor 0: errors, clock and ids, scope, settings, event values. Imports nothing of ours."""
