"""Measure Cypher that people or models wrote: whether it is read as plans, what it returns, and how long it takes."""
