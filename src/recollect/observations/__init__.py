"""What an agent did: projects, and what is captured of them."""
