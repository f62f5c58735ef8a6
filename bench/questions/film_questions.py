"""Generate training questions about films from hand-written wordings and topics for which the graph has answers.

MetaQA's own questions come from a few hundred templates, and a retriever trained on them alone understands few other
wordings. `questions/metaqa-wordings.jsonl` contains lines such as {"wording": "who directed {x}", "path":
["directed_by"]}. They were written for this project, without using the free-form test questions.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity, GraphStore, RelationPath, WalkRule
from question_sets.conversion import OutputFolder
from question_sets.records import QuestionRecord
from shared.paths import graph_file

WORDINGS = Path(__file__).with_name("metaqa-wordings.jsonl")
_MAX_TOPICS_TRIED = 6000
_TOPICS_PER_CALL = 200
_TOPICS_PER_WORDING = 6
_MAX_ANSWERS = 300


async def film_questions(store: GraphStore, seed: int = 0) -> list[QuestionRecord]:
    """Return questions that fill each wording with a few random topics; the seed determines the topics."""
    source = random.Random(seed)
    wordings = [(line["wording"], tuple(line["path"])) for line in map(json.loads, WORDINGS.open(encoding="utf-8"))]
    topics = await store.sample_entities(_MAX_TOPICS_TRIED)
    paths = sorted({path for _, path in wordings})
    startable = {path: await _find_topics(store, source.sample(topics, len(topics)), path) for path in paths}
    return [record for wording, path in wordings for record in _fill(wording, path, startable[path], source)]


def _fill(
    wording: str, path: RelationPath, topics: Sequence[tuple[Entity, tuple[str, ...]]], source: random.Random
) -> Iterator[QuestionRecord]:
    for topic, answers in source.sample(list(topics), min(_TOPICS_PER_WORDING, len(topics))):
        name = topic.name.lower() if source.random() < 0.5 else topic.name
        yield QuestionRecord(question=wording.replace("{x}", name), topic=topic.name, answers=answers, path=path)


async def _find_topics(
    store: GraphStore, topics: Sequence[Entity], path: RelationPath
) -> list[tuple[Entity, tuple[str, ...]]]:
    """Return some topics that the path can start from, each with the names of the entities that the path reaches."""
    found: list[tuple[Entity, tuple[str, ...]]] = []
    for start in range(0, len(topics), _TOPICS_PER_CALL):
        chunk = topics[start : start + _TOPICS_PER_CALL]
        around = await store.steps_after([(topic, ()) for topic in chunk])
        able = [(topic, path) for topic, steps in zip(chunk, around, strict=True) if path[0] in steps]
        walks = await store.walk(able, WalkRule("trail", True), _MAX_ANSWERS)
        found += [
            (walk.topic, tuple(reached.entity.name for reached in walk.reached))
            for walk in walks
            if walk.reached and not walk.truncated
        ]
        if len(found) >= 10 * _TOPICS_PER_WORDING:
            break
    return found


def write_film_questions(graph: Path, out: Path) -> int:
    """Write the questions about an imported graph, and return the number of questions."""

    async def run() -> list[QuestionRecord]:
        store = SqliteGraphStore(graph, seconds_allowed=60)
        try:
            return await film_questions(store)
        finally:
            await store.close()

    records = asyncio.run(run())
    OutputFolder(out.parent).write_questions(out.name, records)
    return len(records)


def main() -> None:
    """Write the questions about a graph in KGQA_HOME."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="metaqa", help="name of the graph (default metaqa)")
    parser.add_argument("--out", type=Path, required=True, help="question file to write")
    arguments = parser.parse_args()
    count = write_film_questions(graph_file(arguments.graph), arguments.out)
    print(f"{arguments.out}: {count:,} questions")


if __name__ == "__main__":
    main()
