from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the KGQA_HOME of a module's services, which use no database and no proxy."""
    folder: Path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGQA_HOME", str(folder))
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.delenv("KGQA_NEO4J_URL", raising=False)
        yield folder
