"""What messages state: extracted in the background, and asked for by the search."""
