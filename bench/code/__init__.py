"""Measure the structure of the code."""
