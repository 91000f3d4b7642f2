"""Everything out of a home and into one: the document, its writer, its reader, other programs'."""
