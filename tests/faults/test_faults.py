"""Check that an outage of any part causes no wrong answer, that failures are explained and counted, and recovery."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fault_injection import ALLOWED_DEGRADATIONS, CONNECTION_LOST, inject_faults, summaries
from tests.support.production_stack import ProductionStack, production_stack_with_neo4j

# More would overload two cores: requests that wait too long for a processor look like those of a part that hangs.
_CLIENTS = 6

PROGRAM = os.environ.get("KGQA_TEST_NEO4J_COMMAND")

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(
        PROGRAM is None, reason="needs a Neo4j to kill: set KGQA_TEST_NEO4J_COMMAND to a program, see CONTRIBUTING.md"
    ),
    pytest.mark.skipif(not shutil.which("redis-server"), reason="needs redis-server: apt-get install redis-server"),
]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProductionStack]:
    folder: Path = tmp_path_factory.mktemp("production")
    with production_stack_with_neo4j(PROGRAM or "", folder) as running:
        yield running


@pytest.mark.parametrize("part", ALLOWED_DEGRADATIONS)
async def test_an_outage_of_one_part(stack: ProductionStack, part: str) -> None:
    report = await inject_faults(stack, part, _CLIENTS)
    assert summaries(report.wrong) == []
    assert summaries(report.unexplained) == []
    assert report.miscounted == []
    assert summaries(report.late) == [], report.outages
    assert set(report.degraded) <= ALLOWED_DEGRADATIONS[part]
    if ALLOWED_DEGRADATIONS[part] and part != "answerer":
        assert not report.failed, "the question can be answered without this part"
    if part != "answerer":
        assert CONNECTION_LOST not in report.failed
