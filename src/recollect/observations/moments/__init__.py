"""What a moment tells: the commands of a line, runs of tests, the meaning of words."""
