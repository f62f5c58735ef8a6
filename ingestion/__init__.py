"""Import fact files into a graph store."""
