"""Hold everyday questions with conditions about the demo graph, and the programs that compute their answers."""
