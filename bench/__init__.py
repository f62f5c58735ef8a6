"""Measurements. `run` and `retriever` write docs/benchmarks.md; the others are parts of them that also run alone."""
