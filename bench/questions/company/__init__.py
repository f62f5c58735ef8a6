"""Build the graph of an invented firm, and hold the questions about it."""
