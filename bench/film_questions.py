"""Training questions about films: wordings of people, filled with topics that the graph can answer them about.

MetaQA's own questions come from a few hundred templates, and a retriever that has seen nothing else understands little
else. `questions/metaqa-wordings.jsonl` holds {"wording": "who directed {x}", "path": ["directed_by"]} lines, written
for this project; none of the free test questions went into them.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from question_sets.records import QuestionRecord
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import Entity, GraphStore, RelationPath, WalkRule
from shared.paths import graph_file

WORDINGS = Path(__file__).parent / "questions" / "metaqa-wordings.jsonl"
_TOPICS_LOOKED_AT = 6000
_AT_ONCE = 200
_TOPICS_EACH = 6
_MOST_ANSWERS = 300


async def film_questions(store: GraphStore, seed: int = 0) -> list[QuestionRecord]:
    """Each wording with a few topics, at random but the same every time."""
    source = random.Random(seed)
    wordings = [(line["wording"], tuple(line["path"])) for line in map(json.loads, WORDINGS.open(encoding="utf-8"))]
    topics = await store.sample_entities(_TOPICS_LOOKED_AT)
    paths = sorted({path for _, path in wordings})
    fitting = {path: await _fitting(store, source.sample(topics, len(topics)), path) for path in paths}
    return [record for wording, path in wordings for record in _filled(wording, path, fitting[path], source)]


def _filled(
    wording: str, path: RelationPath, fitting: Sequence[tuple[Entity, tuple[str, ...]]], source: random.Random
) -> Iterator[QuestionRecord]:
    for topic, answers in source.sample(list(fitting), min(_TOPICS_EACH, len(fitting))):
        name = topic.name.lower() if source.random() < 0.5 else topic.name
        yield QuestionRecord(question=wording.replace("{x}", name), topic=topic.name, answers=answers, path=path)


async def _fitting(
    store: GraphStore, topics: Sequence[Entity], path: RelationPath
) -> list[tuple[Entity, tuple[str, ...]]]:
    """Some of the topics that the path leads on from, with what it reaches."""
    found: list[tuple[Entity, tuple[str, ...]]] = []
    for start in range(0, len(topics), _AT_ONCE):
        chunk = topics[start : start + _AT_ONCE]
        around = await store.steps_after([(topic, ()) for topic in chunk])
        able = [(topic, path) for topic, steps in zip(chunk, around, strict=True) if path[0] in steps]
        walks = await store.walk(able, WalkRule("trail", True), _MOST_ANSWERS)
        found += [
            (walk.topic, tuple(reached.entity.name for reached in walk.reached))
            for walk in walks
            if walk.reached and not walk.truncated
        ]
        if len(found) >= 10 * _TOPICS_EACH:
            break
    return found


def write_film_questions(graph: Path, out: Path) -> int:
    """Write the questions for an imported graph file as JSON Lines; their number."""

    async def run() -> list[QuestionRecord]:
        store = SqliteGraphStore(graph, seconds_allowed=60)
        try:
            return await film_questions(store)
        finally:
            await store.close()

    records = asyncio.run(run())
    out.write_text("".join(f"{record.model_dump_json()}\n" for record in records), encoding="utf-8")
    return len(records)


def main() -> None:
    """Write the questions for a graph of `KGQA_HOME`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="metaqa")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    count = write_film_questions(graph_file(arguments.graph), arguments.out)
    print(f"{arguments.out}: {count:,} questions")


if __name__ == "__main__":
    main()
