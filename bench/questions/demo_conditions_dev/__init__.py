"""Hold further everyday questions with conditions about the demo graph, for development."""
