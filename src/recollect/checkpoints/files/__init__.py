"""Files below a root: states, reading and changing them, and what may have changed."""
