"""`kgqa up` over a Neo4j that it cannot serve says why at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.neo4j_server import PASSWORD, URL, clear, needs_neo4j
from tests.support.command_line import clean_environment

pytestmark = needs_neo4j

RETRIEVER = Path(__file__).resolve().parent.parent.parent / "examples" / "world" / "retriever"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"KGQA_NEO4J_PASSWORD": "another-password"}, "rejected user 'neo4j': check KGQA_NEO4J_USER and"),
        ({"KGQA_NEO4J_NAME_PROPERTY": "not there"}, "has the property not there; set KGQA_NEO4J_NAME_PROPERTY"),
        ({}, "has a property that looks like a name; set KGQA_NEO4J_NAMES"),
    ],
)
def test_what_waiting_cannot_mend_is_said_at_once(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    clear()
    neo4j = {"KGQA_NEO4J_URL": URL, "KGQA_NEO4J_PASSWORD": PASSWORD, "KGQA_NEO4J_SECONDS_ALLOWED": "120"}
    done = subprocess.run(
        [sys.executable, "-m", "kgqa", "up", "--graph", "mine", "--retriever", str(RETRIEVER)],
        env={**clean_environment(tmp_path), **neo4j, **changes},
        capture_output=True,
        text=True,
        check=False,
        # Waiting for the database to change would take as long.
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
