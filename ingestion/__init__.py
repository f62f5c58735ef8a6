"""Files of facts -> a graph store."""
