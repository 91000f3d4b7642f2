"""Vectors of chunks: the queue, the cache, the batch jobs of providers."""
