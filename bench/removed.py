"""A graph from which the answers to some questions are taken, so that it cannot know them any more."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from question_sets.records import QuestionRecord
from shared.graph.store import split_step

Fact = tuple[str, str, str]


def write_without(facts_file: Path, records: Sequence[QuestionRecord], folder: Path) -> tuple[Path, Path]:
    """Write the facts but those that each question's path ends with, and the questions as ones without an answer.

    Returns the files of facts and of questions.
    """
    lines = facts_file.read_text(encoding="utf-8").splitlines()
    facts = [(s, r, o) for s, r, o in (line.split("\t") for line in lines)]
    nexts: dict[tuple[str, str, bool], list[tuple[str, Fact]]] = defaultdict(list)
    for fact in facts:
        subject, relation, object_ = fact
        nexts[subject, relation, False].append((object_, fact))
        nexts[object_, relation, True].append((subject, fact))
    removed: set[Fact] = set()
    for record in records:
        here = {record.topic or ""}
        for step in record.path or ():
            reached = [there for name in here for there in nexts.get((name, *split_step(step)), [])]
            here, last = {name for name, _ in reached}, {fact for _, fact in reached}
        removed |= last
    kept = folder / "without.tsv"
    kept.write_text("".join("\t".join(fact) + "\n" for fact in facts if fact not in removed), encoding="utf-8")
    unknown = folder / "unknown.jsonl"
    asked = [QuestionRecord(question=r.question, topic=r.topic, answers=(), path=()) for r in records]
    unknown.write_text("".join(f"{record.model_dump_json()}\n" for record in asked), encoding="utf-8")
    return kept, unknown
