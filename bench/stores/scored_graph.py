"""Write a generated graph of triples as a property graph: each entity has a kind and a number."""

import random
from contextlib import closing
from pathlib import Path

from ingestion.sqlite_writer import GraphWriter

SCORE = "score"
KINDS = tuple(f"Kind {number}" for number in range(25))
_ALIAS = "alias"


def write_scored_graph(source: Path, file: Path, seed: int) -> int:
    """Write a graph file from a TSV file of triples, and return the number of entities."""
    rng = random.Random(seed)
    with closing(GraphWriter(file)) as writer, source.open(encoding="utf-8") as lines:
        for line in lines:
            subject, relation, object_ = line.rstrip("\n").split("\t")
            if relation == _ALIAS:
                writer.add_alias(subject, object_)
                continue
            for name in (subject, object_):
                if not writer.has_node(name):
                    writer.add_node(name, (rng.choice(KINDS),), {"name": name, SCORE: rng.random()})
            writer.add_triple(subject, relation, object_)
        return writer.finish().entities
