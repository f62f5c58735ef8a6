"""Measure the system. Most modules are commands that save their figures for docs/benchmarks.md.

Each folder is about one part: `questions` holds what is asked, `reading`, `paths`, `strategies`, `cypher`, and `stores`
find answers, `texts` and `adapters` word them, `serving` runs all of it, `files` imports graphs, and `code` reads the
source. Helpers that tests need too are in `tests.support`, which benchmarks import; no test imports `bench`.
"""
