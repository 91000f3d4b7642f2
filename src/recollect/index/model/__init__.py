"""Values and rows of the index: documents, chunks, generations, who hears them."""
