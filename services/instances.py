"""Record what each running `kgqa up` serves, and find those that run."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from services.log_folders import LOCK_FILE
from shared.paths import graph_file, home, retriever_folder

_RECORD = "instance.json"


class Restarts(BaseModel):
    """Say how often `kgqa up` had to restart a server.

    Attributes:
        number: How often it was started again.
        reason: Why it exited last.
        exited: When it exited last, in UTC.
        pause_s: Seconds from then to the next start.
        is_running: Whether it was started again since.
    """

    number: int
    reason: str
    exited: datetime
    pause_s: float
    is_running: bool


class Instance(BaseModel):
    """Describe one run of `kgqa up`; its log folder holds the record.

    Attributes:
        graphs: The names of the graphs, the default one first.
        is_file: Whether the graphs are files rather than Neo4j databases.
        retriever: The folder of the trained retriever of the first graph, which need not exist.
        urls: The URL of each server, by its name.
        pid: The process of `kgqa up`.
        started: When it started, in UTC.
        pids: The process of each server, by its name; a server that waits for its next start has none.
        restarts: The servers that exited unexpectedly, by their names.
    """

    graphs: tuple[str, ...] = Field(min_length=1)
    is_file: bool
    retriever: Path
    urls: dict[str, str]
    pid: int = Field(default_factory=os.getpid)
    started: datetime = Field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    pids: dict[str, int] = Field(default_factory=dict)
    restarts: dict[str, Restarts] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the names of the graphs, for people."""
        return ", ".join(self.graphs)

    def retriever_of(self, graph: str) -> Path:
        """Return the folder of the trained retriever of a graph."""
        return self.retriever if graph == self.graphs[0] else retriever_folder(graph)

    @property
    def url(self) -> str:
        """Return the answerer's URL."""
        return self.urls["answerer"]

    @property
    def port(self) -> int:
        """Return the answerer's port."""
        return int(self.url.rpartition(":")[2])


def record_instance(logs: Path, instance: Instance) -> None:
    """Write the record into the instance's log folder, whose lock must be held already."""
    unfinished = logs / f".{_RECORD}"
    unfinished.write_text(instance.model_dump_json(indent=1) + "\n", encoding="utf-8")
    unfinished.replace(logs / _RECORD)


def recorded_instances() -> list[tuple[Path, Instance]]:
    """Return the log folders whose records can be read, and the records, latest first."""
    return list(_recorded(home() / "logs"))


def running_instances() -> list[tuple[Path, Instance]]:
    """Return the log folders of the instances that run, and their records, latest first."""
    return [(logs, instance) for logs, instance in recorded_instances() if is_running(logs)]


def served_from_neo4j(graph: str) -> Instance | None:
    """Return the latest running instance that serves a graph from Neo4j, unless there is a graph file of this name."""
    if graph_file(graph).exists():
        return None
    serving = (one for _, one in running_instances() if graph in one.graphs and not one.is_file)
    return next(serving, None)


def is_running(logs: Path) -> bool:
    """Return whether `kgqa up`, or one of its services, holds the lock of its log folder."""
    with suppress(FileNotFoundError), (logs / LOCK_FILE).open("r") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # a network file system without locks
            return True
    return False


def _recorded(logs: Path) -> Iterator[tuple[Path, Instance]]:
    for file in sorted(logs.glob(f"*/{_RECORD}"), reverse=True):
        with suppress(OSError, ValidationError):
            yield file.parent, Instance.model_validate_json(file.read_bytes())
