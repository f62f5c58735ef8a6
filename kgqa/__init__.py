"""Provide the command line; other rooms do the work."""
