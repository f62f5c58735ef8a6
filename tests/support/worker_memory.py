"""Keep what all tests share in memory once.

A worker of the tests creates hundreds of retrievers, which load the same models, 94 MB and most of a second for each.
"""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_ENCODER = "services.retriever.encoder.encoder"
_PREDICTOR = "services.retriever.plans.predictor"
_USERS = (f"{_PREDICTOR}.model", f"{_PREDICTOR}.plan_judge")
"""Modules that import `open_session` by name."""
_FILES_KEPT = 12
"""More than the files of one retriever, but few of the copies that tests damage."""


def share_models() -> None:
    """Load each file of a model once; any number of retrievers may use a session or a tokenizer at the same time.

    Only modules that have been imported change.
    """
    encoder = sys.modules.get(_ENCODER)
    if encoder is None:
        return
    open_session = _once_for_each_file(encoder.open_session)
    for module in (encoder, *map(sys.modules.get, _USERS)):
        if module is not None:
            module.open_session = open_session  # type: ignore[attr-defined]
    encoder.Tokenizer = SimpleNamespace(  # type: ignore[attr-defined]
        from_file=_once_for_each_file(encoder.Tokenizer.from_file)
    )


def _once_for_each_file(load: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that loads a file again only after it has changed."""

    @functools.lru_cache(_FILES_KEPT)
    def kept(file: str, _version: tuple[int, ...], *options: int) -> Any:
        return load(file, *options)

    def load_once(file: str | Path, *options: int) -> Any:
        found = Path(file).stat()
        return kept(str(file), (found.st_ino, found.st_mtime_ns, found.st_size), *options)

    return load_once
