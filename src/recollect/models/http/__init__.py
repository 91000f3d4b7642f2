"""One HTTP client for all providers: requests, tries, errors, keys."""
