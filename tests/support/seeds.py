"""The seed of random tests, which `KGQA_TEST_SEED` sets.

A seed that found a defect becomes a test of its own; a new seed each day would make failures hard to repeat.
"""

import os

SEED = int(os.environ.get("KGQA_TEST_SEED", "0"))
"""Seed of every random choice in the tests."""
