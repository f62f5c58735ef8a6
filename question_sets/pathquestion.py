"""PathQuestion (Zhou, Huang and Zhu, COLING 2018) into the project's own formats.

Reads `{2,3}H-kb.txt` (subject, relation, object between tabs) and `PQ-{2,3}H.txt` (question, `answer(answer/...)`,
`topic#relation#entity#...#answer#<end>#answer`), each plain or .xz. Names are written with underscores for blanks there
and with blanks here.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from question_sets.records import QuestionRecord
from question_sets.source import required, rows, triple
from question_sets.writers import ConvertedFile, write_graph, write_questions

SEEDS = range(5)
_HOPS = (2, 3)
_TRAIN, _VALID = 0.8, 0.1
_ANSWERS = re.compile(r".+?\((.+)\)")
_END = "<end>"


def convert_pathquestion(source: Path, out: Path) -> list[ConvertedFile]:
    """Write `{2,3}-hop-graph.tsv` and, there being no official split, `{2,3}-hop-seed{0..4}-{train,valid,test}.jsonl`.

    Each seed deals the questions out anew, 80/10/10. Raises NotFoundError when `source` is not a PathQuestion folder,
    InvalidInputError (file, line, reason) for a bad line.
    """
    sources = [
        (hops, required(source, f"{hops}H-kb.txt", "PathQuestion"), required(source, f"PQ-{hops}H.txt", "PathQuestion"))
        for hops in _HOPS
    ]
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for hops, triples, questions in sources:
        written.append(write_graph(out / f"{hops}-hop-graph.tsv", _triples(triples)))
        records = list(
            rows(questions, _question, "question, answer(answer/...) and topic#relation#entity#... between tabs")
        )
        for seed in SEEDS:
            for split, part in _dealt(records, seed):
                written.append(write_questions(out / f"{hops}-hop-seed{seed}-{split}.jsonl", part))
    return written


def _triples(file: Path) -> Iterator[tuple[str, str, str]]:
    for subject, relation, object_ in rows(file, triple("\t"), "subject, relation and object between tabs"):
        yield _name(subject), relation, _name(object_)


def _dealt(records: list[QuestionRecord], seed: int) -> Iterator[tuple[str, list[QuestionRecord]]]:
    shuffled = random.Random(seed).sample(records, len(records))
    train, valid = round(len(records) * _TRAIN), round(len(records) * (_TRAIN + _VALID))
    yield "train", shuffled[:train]
    yield "valid", shuffled[train:valid]
    yield "test", shuffled[valid:]


def _question(line: str) -> QuestionRecord:
    question, answers, path = line.split("\t")
    listed = _ANSWERS.fullmatch(answers)
    if listed is None:
        raise ValueError(f"no answer(answer/...) in {answers!r}")
    walked = path.split("#")
    walked = walked[: walked.index(_END)] if _END in walked else walked
    return QuestionRecord(
        question=_name(question),
        topic=_name(walked[0]),
        answers=tuple(dict.fromkeys(_name(answer) for answer in listed.group(1).split("/") if answer)),
        path=tuple(walked[1::2]),
    )


def _name(text: str) -> str:
    return text.replace("_", " ")
