"""Processes that one of ours starts and stops, and the ports that they want. Importing this is cheap."""

import errno
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from shared.errors import InvalidInputError
from shared.log_files import OUTPUT_VARIABLE

_STOP_WITH_STARTER = "KGQA_STOP_WITH_STARTER"
# Longer than a server's graceful stop, see `shared.web.server.STOP_TIMEOUT_S`.
_SECONDS_TO_STOP = 30.0
_PROJECT = Path(__file__).resolve().parent.parent


def start_module(
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    output: Path | None = None,
    keep_open: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Run a module of this project in a process that ends with this one.

    The module and all that it imports come from where this process's code comes from, never from the current folder,
    which may hold a `services`, `shared` or `uvicorn.py` of its own. `output`: the file for its stdout and stderr, by
    default this process's own; `keep_open`: descriptors that it inherits.
    """
    own = {"PYTHONPATH": _import_path(environment.get("PYTHONPATH", "")), _STOP_WITH_STARTER: "1"}
    with ExitStack() as stack:
        file = stack.enter_context(output.open("ab")) if output else None
        return subprocess.Popen(  # noqa: S603 - our own modules with our own interpreter
            [sys.executable, "-P", "-m", module, *arguments],
            env={**environment, **own, OUTPUT_VARIABLE: str(output.absolute()) if output else ""},
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT if file else None,
            start_new_session=True,  # Ctrl-C is for the starter, which stops it
            pass_fds=keep_open,
        )


def _import_path(given: str) -> str:
    """`PYTHONPATH` without its empty entries, which mean the current folder, after this project where it is no package.

    Without that a process could not start others from a clone that is not installed.
    """
    is_package = _PROJECT in (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib")))
    entries = [*([] if is_package else [str(_PROJECT)]), *given.split(os.pathsep)]
    return os.pathsep.join(entry for entry in entries if entry)


def stop_with_starter(patience_s: float = _SECONDS_TO_STOP) -> None:
    """End this process when its starter is gone, however it went; do nothing unless it is tied to one.

    It gets SIGTERM, and ends without ceremony when it still runs after `patience_s`.
    """
    if not os.environ.get(_STOP_WITH_STARTER):
        return

    def watch() -> None:
        # Not sys.stdin, whose lock a waiting thread would hold when the interpreter ends.
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(patience_s)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="starter").start()


def end_well_on_sigterm() -> None:
    """Let SIGTERM end this process at once with exit code 0; a server replaces this with its own handling as it starts.

    SystemExit would not do: raised while llama.cpp loads, it leaves the interpreter waiting for llama.cpp's threads.
    """
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def stop(process: "subprocess.Popen[bytes]", patience_s: float) -> None:
    """Ask a process to end, and kill it if it has not within `patience_s`, or if this call is interrupted."""
    try:
        process.terminate()
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()
        process.wait()
        if process.stdin:
            process.stdin.close()


def port_is_free(host: str, port: int) -> bool:
    """Whether a service could listen there now; raises InvalidInputError for a host that is not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise InvalidInputError(f"cannot listen on {host}: {error.strerror or error}") from error
    return True


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
