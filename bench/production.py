"""Measure `POST /ask` over the production parts: a real Neo4j, a real Redis, and a model that takes a given time.

python -m bench.production            # KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD say where an empty Neo4j is

The demo graph is copied there. The services, Redis, the model's stub, the load, and Neo4j if it runs here, share the
machine's cores.
"""

import argparse
import asyncio
import os
import tempfile
from pathlib import Path

from bench.command import kgqa
from bench.load import bodies_of, put_load
from bench.parts import QUESTIONS, Parts
from bench.results import Section, head, keep
from bench.run import WORLD

_CLIENTS, _FIRST_CLIENTS = 64, 8
_MODEL_MS = 50
_FIRST_ROUND_S = 90.0
# One client does not get through all of them.
_FIRST_TIME_S = 15.0


def measure(home: Path) -> None:
    """One client and a model that takes no time; then many and one that takes its time."""
    commit = head()
    kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
    bodies, columns = bodies_of(QUESTIONS), {}
    for clients, milliseconds in ((1, 0), (_CLIENTS, _MODEL_MS)):
        column = f"{clients} client{'s' * (clients > 1)}, model {milliseconds} ms"
        with Parts(home, milliseconds) as parts:
            url = parts.url("answerer")
            if clients == 1:
                load = asyncio.run(put_load(f"{url}/ask", bodies, 1, _FIRST_TIME_S))
                columns[f"{column}, asked for the first time"] = load.shown()
            # All of them once, so that names and texts are cached as they are after the first day.
            asyncio.run(put_load(f"{url}/ask", bodies, _FIRST_CLIENTS, _FIRST_ROUND_S))
            columns[column] = asyncio.run(put_load(f"{url}/ask", bodies, clients)).shown()
    note = (
        "`POST /ask` with format `text` over the demo graph's test questions; Neo4j, Redis, the three services, the "
        "model's stub and the load share two cores. With a model that takes no time, the latency is what the system "
        "adds. All questions were asked before, so that names, steps and encodings are in the retriever's memory and "
        "texts in Redis, but for the first column."
    )
    command = "python -m bench.production"
    keep("production", Section(order=30, title="Production parts", note=note, command=command, columns=columns,
                               commit=commit))  # fmt: skip


def main() -> None:
    """Measure, in a home of its own."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if "KGQA_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD to an empty Neo4j")
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as folder:
        measure(Path(folder))


if __name__ == "__main__":
    main()
