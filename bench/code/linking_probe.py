"""Link one question with the retriever of another checkout, and count how often control moves between its files.

`bench.code.structure` runs this file with the other checkout on the import path and the demo graph in KGQA_HOME.
Functions are listed in the order in which they are first called. A stay is a run of consecutive functions from the same
file.
"""

import asyncio
import json
import sys
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import httpx

_QUESTION = "Which airports serve the capital of Peru?"


class Recorder:
    """Record the functions from a folder that run while the folder's method `link` runs."""

    def __init__(self, folder: Path) -> None:
        self.called: dict[CodeType, str] = {}
        self._folder = f"{folder}/"
        self._link: FrameType | None = None
        self._is_done = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Handle an event from `sys.setprofile`."""
        code = frame.f_code
        if self._is_done or not code.co_filename.startswith(self._folder):
            return
        if event == "call" and self._link is None and code.co_name == "link":
            self._link = frame
        if event == "call" and self._link is not None:
            self.called.setdefault(code, code.co_filename)
        # A coroutine that suspends also causes a return event, but never with a list.
        if event == "return" and frame is self._link and isinstance(argument, list | tuple):
            self._is_done = True


async def record(model: Path) -> Recorder:
    """Answer the question in this process, and return the functions that ran while it was linked."""
    import services.retriever
    from services.retriever.app import create_app
    from services.retriever.settings import RetrieverSettings

    app = create_app(RetrieverSettings(graph="world", model=model))
    recorder = Recorder(Path(services.retriever.__path__[0]))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as client:
        sys.setprofile(recorder)
        reply = await client.post("http://127.0.0.1/retrieve", json={"question": _QUESTION})
        sys.setprofile(None)
    reply.raise_for_status()
    return recorder


def main() -> None:
    """Print the number of stays and the number of files as JSON."""
    files = list(asyncio.run(record(Path(sys.argv[1]))).called.values())
    print(json.dumps([len(list(groupby(files))), len(set(files))]))


if __name__ == "__main__":
    main()
