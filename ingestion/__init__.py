"""Import files of facts into a graph store."""
