"""Whatever stops answering: no wrong answer, every failure told and counted, and soon all is well again."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.clients import LOST
from bench.faults import WITHOUT, disturbed
from bench.whole import Whole, whole

PROGRAM = os.environ.get("KGQA_TEST_NEO4J_COMMAND")

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(
        PROGRAM is None, reason="needs a Neo4j to kill: set KGQA_TEST_NEO4J_COMMAND to a program, see CONTRIBUTING.md"
    ),
    pytest.mark.skipif(not shutil.which("redis-server"), reason="needs redis-server: apt-get install redis-server"),
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder: Path = tmp_path_factory.mktemp("whole")
    with whole(PROGRAM or "", folder) as running:
        yield running


@pytest.mark.parametrize("part", WITHOUT)
async def test_a_part_that_stops_answering(parts: Whole, part: str) -> None:
    verdict = await disturbed(parts, part)
    assert verdict.wrong == []
    assert verdict.untold == []
    assert verdict.uncounted == []
    assert verdict.late == []
    assert set(verdict.degraded) <= WITHOUT[part]
    if WITHOUT[part] and part != "answerer":
        assert not verdict.failed, "there is an answer without it"
    if part != "answerer":
        assert LOST not in verdict.failed
