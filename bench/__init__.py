"""Measure the system. Most modules are commands that save their figures for docs/benchmarks.md.

Helpers that tests need too are in `tests.support`, which benchmarks import; no test imports `bench`.
"""
