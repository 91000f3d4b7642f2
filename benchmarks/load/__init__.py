"""Load runs: what filling, searching, writing and keeping a home costs."""
