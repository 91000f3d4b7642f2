"""Floor 3: where search and the features meet; hands the features' records to the index."""
