"""Convert PathQuestion (Zhou, Huang, and Zhu, COLING 2018).

Reads `{2,3}H-kb.txt` (tab-separated subject, relation, object) and `PQ-{2,3}H.txt` (question, `answer(answer/...)`,
`topic#relation#entity#...#answer#<end>#answer`), each plain or .xz. Underscores in names become spaces.
"""

import random
import re
from pathlib import Path

from question_sets.conversion import OutputFolder, parse_lines, parse_triples, require_file
from question_sets.records import QuestionRecord
from shared.triple import Triple

SEEDS = range(5)
_HOPS = (2, 3)
_TRAIN, _VALID = 0.8, 0.1
_ANSWERS = re.compile(r".+?\((.+)\)")
_END = "<end>"
_EXPECTED = "question, answer(answer/...), and topic#relation#entity#..., separated by tabs"


def convert_pathquestion(source: Path, out: Path) -> dict[Path, int]:
    """Write `{2,3}-hop-graph.tsv` and `{2,3}-hop-seed{0..4}-{train,valid,test}.jsonl` into `out`.

    The data set has no official split, so each seed splits the questions 80/10/10 at random.
    """
    names = {hops: (f"{hops}H-kb.txt", f"PQ-{hops}H.txt") for hops in _HOPS}
    files = {hops: [require_file(source, name, "PathQuestion") for name in pair] for hops, pair in names.items()}
    output = OutputFolder(out)
    for hops, (graph, questions) in files.items():
        triples = (Triple(_name(t.subject), t.relation, _name(t.object)) for t in parse_triples(graph))
        output.write_graph(f"{hops}-hop-graph.tsv", triples)
        records = list(parse_lines(questions, _question, _EXPECTED))
        for seed in SEEDS:
            for split, part in _split(records, seed).items():
                output.write_questions(f"{hops}-hop-seed{seed}-{split}.jsonl", part)
    return output.written


def _split(records: list[QuestionRecord], seed: int) -> dict[str, list[QuestionRecord]]:
    shuffled = random.Random(seed).sample(records, len(records))
    train, valid = round(len(records) * _TRAIN), round(len(records) * (_TRAIN + _VALID))
    return {"train": shuffled[:train], "valid": shuffled[train:valid], "test": shuffled[valid:]}


def _question(line: str) -> QuestionRecord:
    question, answers, path = line.split("\t")
    listed = _ANSWERS.fullmatch(answers)
    if listed is None:
        raise ValueError(f"{answers!r} does not have the form answer(answer/...)")
    walk = path.split("#")
    walk = walk[: walk.index(_END)] if _END in walk else walk
    return QuestionRecord(
        question=_name(question),
        topic=_name(walk[0]),
        answers=tuple(dict.fromkeys(_name(answer) for answer in listed.group(1).split("/") if answer)),
        path=tuple(walk[1::2]),
    )


def _name(text: str) -> str:
    return text.replace("_", " ")
