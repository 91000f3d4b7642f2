"""What agent programs run at their hooks: the client, and the spool of what it could not deliver."""
