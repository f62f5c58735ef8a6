"""Store a graph in an SQLite file."""
