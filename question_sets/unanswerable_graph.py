"""Remove from a graph the facts that answer given questions, so that the questions become unanswerable."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from graph.store import split_step
from question_sets.conversion import OutputFolder, parse_triples
from question_sets.records import QuestionRecord
from shared.triple import Triple


def write_unanswerable_graph(facts: Path, records: Sequence[QuestionRecord], folder: Path) -> tuple[Path, Path]:
    """Write `without.tsv`, without the last triples on each question's path, and `unknown.jsonl`; return both files."""
    triples = list(parse_triples(facts))
    neighbours: dict[tuple[str, str, bool], list[tuple[str, Triple]]] = defaultdict(list)
    for triple in triples:
        neighbours[triple.subject, triple.relation, False].append((triple.object, triple))
        neighbours[triple.object, triple.relation, True].append((triple.subject, triple))
    removed: set[Triple] = set()
    for record in records:
        reached, last = {record.topic or ""}, set[Triple]()
        for step in record.path or ():
            followed = [found for name in reached for found in neighbours.get((name, *split_step(step)), [])]
            reached, last = {name for name, _ in followed}, {triple for _, triple in followed}
        removed |= last
    output = OutputFolder(folder)
    kept = output.write_graph("without.tsv", (triple for triple in triples if triple not in removed))
    unanswerable = (QuestionRecord(question=r.question, topic=r.topic, answers=(), path=()) for r in records)
    return kept, output.write_questions("unknown.jsonl", unanswerable)
