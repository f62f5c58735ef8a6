"""Examples that come with the project."""
