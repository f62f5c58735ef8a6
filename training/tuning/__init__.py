"""Tune a language model to a knowledge graph (Bridging the Gap)."""
