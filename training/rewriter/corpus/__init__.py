"""Generate a corpus of graph-text pairs for a graph that has none (RRA, section 4.2)."""
