"""Floor 1: the engine port, the SQLite engine, migrations, journal, blobs and safe files.

The only importer of a database driver. It knows rows, transactions and bytes; what they mean is
the business of the floors above.
"""
