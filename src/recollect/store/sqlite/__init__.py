"""The SQLite engine: connections, one writer, readers, checkpoints, schemas."""
