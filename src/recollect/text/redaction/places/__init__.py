"""The tables of places that a fixed sign tells of: shells, statements, dialogues."""
