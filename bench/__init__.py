"""Measure the system. Most modules are commands that save their figures for docs/benchmarks.md.

What tests need too is in `tests.support`: benchmarks import it, and no test imports `bench`.
"""
