"""Measure running servers: speed, load, faults, and attacks."""
