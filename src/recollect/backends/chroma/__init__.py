"""Chroma as the vector back end: inside our process, or as a server."""
