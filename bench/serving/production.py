"""Measure `POST /ask` with the production components: `python -m bench.serving.production`.

KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD give the URL and the password of an empty Neo4j server, into which the demo graph
is imported. The language model is a stub that responds after a fixed time. The services, Redis, the stub, and the
clients share the cores of this machine, as does Neo4j if it runs locally.
"""

import argparse
import asyncio
import os
import tempfile
from pathlib import Path

from bench.results import Section, head, keep
from bench.serving.load import put_load, request_bodies
from tests.support.command_line import WORLD, run_kgqa
from tests.support.production_stack import QUESTIONS, ProductionStack

_CLIENTS, _WARM_UP_CLIENTS = 64, 8
_MODEL_MS = 50
_WARM_UP_S = 90.0
# Too short for one client to ask all questions, so that no question is repeated.
_FIRST_TIME_S = 15.0
_NOTE = (
    "`POST /ask` with format `text` over the demo graph's test questions. Neo4j, Redis, the three services, the stub "
    "model, and the clients share two cores. With a model that takes no time, the latency is what the system itself "
    "adds. Except in the first column, all questions had been asked before, so names, steps, and encodings were in the "
    "retriever's memory, and texts were in Redis."
)


def measure(home: Path) -> dict[str, dict[str, str]]:
    """Measure one client with a model that responds at once, then many clients with a slower model."""
    run_kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
    bodies, columns = request_bodies(QUESTIONS), {}
    for clients, milliseconds in ((1, 0), (_CLIENTS, _MODEL_MS)):
        column = f"{clients} client{'s' * (clients > 1)}, model {milliseconds} ms"
        with ProductionStack(home, milliseconds) as stack:
            url = f"{stack.url('answerer')}/ask"
            if clients == 1:
                load = asyncio.run(put_load(url, bodies, 1, _FIRST_TIME_S))
                columns[f"{column}, asked for the first time"] = load.as_column()
            # Ask every question before measuring, so that the caches are full.
            asyncio.run(put_load(url, bodies, _WARM_UP_CLIENTS, _WARM_UP_S))
            columns[column] = asyncio.run(put_load(url, bodies, clients)).as_column()
    return columns


def main() -> None:
    """Run the measurement in a temporary KGQA_HOME, and save the figures."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if "KGQA_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD for an empty Neo4j database")
    commit = head()
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as folder:
        columns = measure(Path(folder))
    title, command = "Production parts", "python -m bench.serving.production"
    keep("production", Section(order=30, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
