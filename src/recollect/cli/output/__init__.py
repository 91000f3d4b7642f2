"""What commands show: lines, tables, documents, progress, hits."""
