"""What agent programs run at their hooks, and the spool of what could not be delivered."""
