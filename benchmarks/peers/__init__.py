"""recollect beside other stores of texts and vectors: the same material, one process for each."""
