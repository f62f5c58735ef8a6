"""Convert ZJQA, the RRA paper's Chinese question set.

Reads `triple.txt` (subject, relation, object) and whichever of `{train,valid,test}.txt` exist (question, topic entity,
relation path, answers, number of hops). The files are tab-separated, and each is plain or .xz.
"""

from pathlib import Path

from question_sets.conversion import OutputFolder, find_file, parse_lines, parse_triples, require_file
from question_sets.records import QuestionRecord
from shared.errors import NotFoundError

_SPLITS = ("train", "valid", "test")
_EXPECTED = "question, topic entity, relation|relation, answer|answer, and hops, separated by tabs"


def convert_zjqa(source: Path, out: Path) -> dict[Path, int]:
    """Write `graph.tsv` and the available splits of `{train,valid,test}.jsonl` into `out`."""
    triples = require_file(source, "triple.txt", "ZJQA")
    splits = {split: file for split in _SPLITS if (file := find_file(source / f"{split}.txt"))}
    if not splits:
        raise NotFoundError(f"{source} contains no questions; expected files such as {source}/train.txt")
    output = OutputFolder(out)
    output.write_graph("graph.tsv", parse_triples(triples))
    for split, file in splits.items():
        output.write_questions(f"{split}.jsonl", parse_lines(file, _question, _EXPECTED))
    return output.written


def _question(line: str) -> QuestionRecord:
    question, topic, path, answers, hops = line.split("\t")
    relations = tuple(path.split("|"))
    if len(relations) != int(hops):
        raise ValueError(f"the number of hops is {hops}, but the length of the path is {len(relations)}")
    return QuestionRecord(
        question=question, topic=topic, answers=tuple(dict.fromkeys(answers.split("|"))), path=relations
    )
