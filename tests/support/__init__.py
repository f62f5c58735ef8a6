"""Run parts of the system as processes, for tests and benchmarks."""
