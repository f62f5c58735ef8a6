"""Find the names of the graph in a question."""
