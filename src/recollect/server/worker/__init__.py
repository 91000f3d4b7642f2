"""The worker as a process: serving a home, starting in the background, logging, and stopping."""
