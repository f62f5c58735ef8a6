"""Turn evidence into text, and check that a text says only what its evidence supports."""
