"""Serve the part of a graph that a caller may see."""
