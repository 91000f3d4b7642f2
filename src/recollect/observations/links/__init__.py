"""Which message of a transcript an observation belongs to; a room of the observations."""
