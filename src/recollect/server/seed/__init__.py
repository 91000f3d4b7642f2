"""What seed 001 has on the wire: its values, and what its clients report."""
