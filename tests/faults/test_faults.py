"""Check that an outage of any part causes no wrong answer, that failures are explained and counted, and recovery."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import kgqa_up
from tests.support.fault_injection import (
    ALLOWED_DEGRADATIONS,
    CONNECTION_LOST,
    FaultReport,
    FaultyStack,
    inject_faults,
    summaries,
)
from tests.support.production_stack import PARTS, production_stack_with_neo4j
from tests.support.restarting_stack import SERVERS, RestartingStack

# More would overload two cores: requests that wait too long for a processor look like those of a part that hangs.
_CLIENTS = 6

PROGRAM = os.environ.get("KGQA_TEST_NEO4J_COMMAND")

pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyStack]:
    if PROGRAM is None:
        pytest.skip("needs a Neo4j to kill: set KGQA_TEST_NEO4J_COMMAND to a program, see CONTRIBUTING.md")
    if not shutil.which("redis-server"):
        pytest.skip("needs redis-server: apt-get install redis-server")
    folder: Path = tmp_path_factory.mktemp("production")
    with production_stack_with_neo4j(PROGRAM, folder) as running:
        yield running


@pytest.fixture(scope="module")
def restarting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyStack]:
    with kgqa_up(tmp_path_factory.mktemp("home")) as running:
        yield RestartingStack(running)


def _check(report: FaultReport, part: str) -> None:
    assert summaries(report.wrong) == []
    assert summaries(report.unexplained) == []
    assert report.miscounted == []
    assert summaries(report.late) == [], report.outages
    assert set(report.degraded) <= ALLOWED_DEGRADATIONS[part]
    if ALLOWED_DEGRADATIONS[part] and part != "answerer":
        assert not report.failed, "the question can be answered without this part"
    if part != "answerer":
        assert CONNECTION_LOST not in report.failed


@pytest.mark.parametrize("part", PARTS)
async def test_an_outage_of_one_part(production: FaultyStack, part: str) -> None:
    _check(await inject_faults(production, part, _CLIENTS), part)


@pytest.mark.parametrize("part", SERVERS)
async def test_kgqa_up_restarts_a_server_that_is_killed(restarting: FaultyStack, part: str) -> None:
    _check(await inject_faults(restarting, part, _CLIENTS), part)
