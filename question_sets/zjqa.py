"""ZJQA (the RRA paper's own Chinese set) into the project's own formats.

Reads `triple.txt` (subject, relation, object) and `{train,valid,test}.txt` (question, topic entity, relation path,
answers, number of hops), whichever are there, separated by tabs, each plain or .xz.
"""

from pathlib import Path

from question_sets.records import QuestionRecord
from question_sets.source import existing, required, rows, triple
from question_sets.writers import ConvertedFile, write_graph, write_questions
from shared.errors import NotFoundError

_SPLITS = ("train", "valid", "test")
_EXPECTED = "question, topic entity, relation|relation, answer|answer and hops between tabs"


def convert_zjqa(source: Path, out: Path) -> list[ConvertedFile]:
    """Write `graph.tsv` and `{train,valid,test}.jsonl`, whichever the source has, into `out`.

    Raises NotFoundError when `source` is not a ZJQA folder, InvalidInputError (file, line, reason) for a bad line.
    """
    triples = required(source, "triple.txt", "ZJQA")
    found = [(split, file) for split in _SPLITS if (file := existing(source / f"{split}.txt"))]
    if not found:
        raise NotFoundError(f"{source}: no questions in it; expected files such as {source}/train.txt")
    out.mkdir(parents=True, exist_ok=True)
    graph = write_graph(out / "graph.tsv", rows(triples, triple("\t"), "subject, relation and object between tabs"))
    questions = [write_questions(out / f"{split}.jsonl", rows(file, _question, _EXPECTED)) for split, file in found]
    return [graph, *questions]


def _question(line: str) -> QuestionRecord:
    question, topic, path, answers, hops = line.split("\t")
    relations = tuple(path.split("|"))
    if len(relations) != int(hops):
        raise ValueError(f"{len(relations)} relations but {hops} hops")
    return QuestionRecord(
        question=question, topic=topic, answers=tuple(dict.fromkeys(answers.split("|"))), path=relations
    )
