"""Serve agents over the Model Context Protocol: tools to ask, and to look into the graph."""
