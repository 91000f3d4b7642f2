"""The rules of each language by which statements are found; a text in one imports them."""
