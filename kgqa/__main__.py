"""Run the command line: `kgqa`, or `python -m kgqa`."""

import sys
from pathlib import Path

_INTERRUPTED = 130
"""The exit code that shells use for a process that SIGINT ended."""


def main() -> None:
    """Import the commands, and run one; Ctrl-C ends both without a traceback."""
    try:
        # Importing the commands takes a while, in which a user may already press Ctrl-C.
        from kgqa.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(_INTERRUPTED)


def _run_as_module() -> None:
    # `python -m` imports from the current folder first, and that folder may contain a different `shared` or `services`.
    project = Path(__file__).resolve().parent.parent
    if not sys.flags.safe_path and sys.path[0] and Path(sys.path[0]).resolve() != project:
        del sys.path[0]
    main()


if __name__ == "__main__":
    _run_as_module()
