"""One HTTP client for all providers: requests, retries, errors, keys."""
