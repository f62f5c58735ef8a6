from collections.abc import Iterator

import pytest

from tests.support.command_line import Running, kgqa_up


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with kgqa_up(tmp_path_factory.mktemp("home")) as started:
        yield started
