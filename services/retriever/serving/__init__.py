"""Hold the graphs of a retriever with their models, and replace them while questions are answered."""
