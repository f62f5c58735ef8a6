"""What all tests share."""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.graph_contract", "tests.unit.services.rewriter.cache.contract")

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("kgqa", deadline=None)
settings.load_profile("kgqa")
