"""Provide the command line; the other packages do the work."""
