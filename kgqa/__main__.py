"""Run the command line: `python -m kgqa`."""

import sys
from pathlib import Path


def _main() -> None:
    # `python -m` imports from the current folder first, and that folder may contain a different `shared` or `services`.
    project = Path(__file__).resolve().parent.parent
    if not sys.flags.safe_path and sys.path[0] and Path(sys.path[0]).resolve() != project:
        del sys.path[0]
    from kgqa.cli import main

    main()


_main()
