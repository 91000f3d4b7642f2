"""Export and import of a home: the document, its writer, its reader, other programs' data."""
