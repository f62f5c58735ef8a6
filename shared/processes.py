"""Processes that one of ours starts and stops, and the ports that they want. Importing this is cheap."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading

from shared.errors import InvalidInputError

_STOP_WITH_STARTER = "KGQA_STOP_WITH_STARTER"


def tied_to_starter(environment: dict[str, str]) -> dict[str, str]:
    """The environment for a process that is to end with its starter; its standard input must be a pipe from there."""
    return {**environment, _STOP_WITH_STARTER: "1"}


def stop_with_starter() -> None:
    """End this process, as SIGTERM does, when its starter is gone, however it went; does nothing unless tied to one."""
    if not os.environ.get(_STOP_WITH_STARTER):
        return

    def watch() -> None:
        # Not sys.stdin, whose lock a waiting thread would hold when the interpreter ends.
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="starter").start()


def end_well_on_sigterm() -> None:
    """Let SIGTERM end this process with exit code 0, as what was asked for; a server's own handling comes first."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def stop(process: "subprocess.Popen[bytes]", patience_s: float) -> None:
    """Ask a process to end, and end it when it has not within `patience_s`."""
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
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
