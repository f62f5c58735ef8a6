from collections.abc import Iterator

import pytest

from tests.kgqa_up import Running, kgqa_up


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with kgqa_up(tmp_path_factory.mktemp("home")) as started:
        yield started
