from collections.abc import Iterator

import pytest

from tests.support.command_line import Running, kgqa_up


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run the whole chain, in which the QA model is asked, too."""
    with kgqa_up(tmp_path_factory.mktemp("home"), settings={"KGQA_ANSWERER_WORDING": "model"}) as started:
        yield started
