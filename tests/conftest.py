"""Configure all tests."""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.graph_contract", "tests.unit.services.rewriter.cache.contract")

# The duration of an example shows how busy the machine is, not whether the code is correct.
settings.register_profile("kgqa", deadline=None)
settings.load_profile("kgqa")
