"""Text and question in, answer out; serves POST /ask."""
