"""Find the process that listens on a port of this machine, as far as this user may see it."""

from contextlib import suppress
from pathlib import Path

_LISTENING = "0A"
_MAX_COMMAND = 60


def owner_of(port: int, proc: Path = Path("/proc")) -> str | None:
    """Return the process that listens on a TCP port, such as `process 12 (redis-server)`; None if it is not visible."""
    sockets = _listening_sockets(port, proc)
    for process in proc.glob("[0-9]*"):
        with suppress(OSError):
            if any(str(file.readlink()) in sockets for file in (process / "fd").iterdir()):
                return f"process {process.name} ({_command(process)})"
    return None


def _listening_sockets(port: int, proc: Path) -> frozenset[str]:
    """Return the links that file descriptors of sockets on this port have, such as `socket:[123]`."""
    found = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (proc / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    found.add(f"socket:[{fields[9]}]")
    return frozenset(found)


def _command(process: Path) -> str:
    """Return the program, and the module if it is Python; arguments may hold secrets."""
    words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    module = words[words.index("-m") : words.index("-m") + 2] if "-m" in words else []
    return " ".join([Path(words[0]).name, *module])[:_MAX_COMMAND]
