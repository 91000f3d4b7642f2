"""The worker as a process: it serves a home, starts in the background, writes its log, and ends."""
