"""The whole chain to attack: `kgqa up` on the demo graph, with a key for the language model that attackers know."""

import signal
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import START_TIMEOUT_S, Running, start_up

LLM_KEY = "known-to-the-attackers"


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    started = start_up(tmp_path_factory.mktemp("home"), KGQA_EMBEDDED_LLM_API_KEY=LLM_KEY)
    yield started
    started.process.send_signal(signal.SIGINT)
    assert started.process.wait(START_TIMEOUT_S) == 0
    assert started.process.stdout is not None
    started.process.stdout.close()
