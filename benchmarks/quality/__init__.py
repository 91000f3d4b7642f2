"""Quality runs: every question through the real product."""
