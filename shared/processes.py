"""Start and stop this project's processes, limit the size of their logs, and find free ports.

This module is cheap to import.
"""

import errno
import os
import secrets
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

_STOP_WITH_PARENT = "KGQA_STOP_WITH_PARENT"
# Longer than a server's graceful shutdown: `shared.web.server.STOP_TIMEOUT_S`.
_STOP_TIMEOUT_S = 30.0
# Environment variable that names the log file for a process's stdout and stderr.
OUTPUT_VARIABLE = "KGQA_OUTPUT_FILE"
MAX_LOG_BYTES = 5_000_000
_LOG_CHECK_INTERVAL_S = 1.0
# Below the ephemeral ports of Linux (from 32768), and of macOS and Windows (from 49152).
_OWN_PORTS = (10_000, 32_768)
_chosen_ports: set[int] = set()
_PROJECT = Path(__file__).resolve().parent.parent


def start_module(
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    output: Path | None = None,
    keep_open: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Run a module of this project in a new process, which exits when this process does.

    The new process imports the same code as this one. The current folder is not on its import path, because it may
    contain another project's `services`, `shared`, or `uvicorn.py`. `output` is the log file for its stdout and stderr;
    by default, it writes to those of this process. It also inherits the file descriptors in `keep_open`.
    """
    own = {"PYTHONPATH": _import_path(environment.get("PYTHONPATH", "")), _STOP_WITH_PARENT: "1"}
    with ExitStack() as stack:
        file = stack.enter_context(output.open("ab")) if output else None
        return subprocess.Popen(  # noqa: S603 - our own modules with our own interpreter
            [sys.executable, "-P", "-m", module, *arguments],
            env={**environment, **own, OUTPUT_VARIABLE: str(output.absolute()) if output else ""},
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT if file else None,
            start_new_session=True,  # Ctrl-C goes to the parent, which stops this process
            pass_fds=keep_open,
        )


def _import_path(given: str) -> str:
    """Return PYTHONPATH with this project first, and without empty entries, which mean the current folder.

    An installed project is already importable. A clone that is not installed must be listed explicitly.
    """
    is_package = _PROJECT in (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib")))
    entries = [*([] if is_package else [str(_PROJECT)]), *given.split(os.pathsep)]
    return os.pathsep.join(entry for entry in entries if entry)


def stop_with_parent(patience_s: float = _STOP_TIMEOUT_S) -> None:
    """Send this process SIGTERM when its parent exits or is killed, and force it to exit `patience_s` seconds later."""
    if not os.environ.get(_STOP_WITH_PARENT):
        return

    def watch() -> None:
        # Reading sys.stdin would hold its lock while the interpreter exits.
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(patience_s)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent").start()


def exit_on_sigterm() -> None:
    """Exit with code 0 on SIGTERM, until the server installs its own handler.

    Raising SystemExit would hang while llama.cpp loads: the interpreter would wait for llama.cpp's threads.
    """
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def stop(process: "subprocess.Popen[bytes]", patience_s: float) -> None:
    """Terminate a process; kill it if it still runs after `patience_s` seconds or if this call is interrupted."""
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
    """Return whether a server could listen on this address; raise InvalidInputError if the host is invalid."""
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
    """Return a loopback port that is not in use, and that nobody takes before the caller's server listens on it.

    The kernel picks the ports of outgoing connections, and of servers that ask for any port, from a range of its own.
    A port of that range can be taken at any moment, so this function chooses from below it.
    """
    random = secrets.SystemRandom()  # not seeded, so that two processes do not choose the same ports
    while True:
        port = random.randrange(*_OWN_PORTS)
        if port not in _chosen_ports and port_is_free("127.0.0.1", port):
            _chosen_ports.add(port)
            return port


def bound_output() -> None:
    """Rotate this process's log file, which `OUTPUT_VARIABLE` names, whenever it is full.

    The process writes to the file directly and rotates it itself. The file therefore receives all output, including
    output from C libraries, and the process never blocks on a pipe whose reader is suspended.
    """
    if not (name := os.environ.get(OUTPUT_VARIABLE)):
        return

    def watch() -> None:
        while True:
            time.sleep(_LOG_CHECK_INTERVAL_S)
            rotate_log(Path(name))

    threading.Thread(target=watch, daemon=True, name="output").start()


def rotate_log(file: Path) -> None:
    """Rename the log file for stdout and stderr if it is full, and continue in a new one."""
    out, err = sys.__stdout__, sys.__stderr__
    if out is None or err is None or os.fstat(out.fileno()).st_size <= MAX_LOG_BYTES:
        return
    try:
        file.replace(previous_log(file))
        with file.open("ab") as fresh:
            os.dup2(fresh.fileno(), out.fileno())
            os.dup2(fresh.fileno(), err.fileno())
    except OSError:
        # The folder is gone, or the disk is full.
        os.ftruncate(out.fileno(), 0)


def previous_log(file: Path) -> Path:
    """Return the path to which a rotation renames the full log file."""
    return file.with_suffix(f".previous{file.suffix}")
