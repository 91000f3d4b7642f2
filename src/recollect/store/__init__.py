"""Floor 1: the engine port, the SQLite engine, migrations, journal, blobs and safe files.

The only importer of a database driver. It knows rows, transactions and bytes; the floors above give
them a meaning.
"""
