"""Train a language model to write Cypher for the questions about a graph (UniOQA)."""
