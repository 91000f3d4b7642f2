"""The tables of locations that a fixed sign reveals: shells, statements, dialogues."""
