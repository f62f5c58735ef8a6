"""Caches of verbalised subgraphs."""
