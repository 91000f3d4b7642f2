"""What files were before a tool, and what it left."""
