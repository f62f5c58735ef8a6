"""Compare the retrieval strategies with each other and with published methods."""
