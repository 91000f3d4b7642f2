"""What is recalled beside messages and files: facts that fit a question, and past sessions."""
