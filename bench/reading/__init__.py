"""Measure how well questions are read as query plans."""
