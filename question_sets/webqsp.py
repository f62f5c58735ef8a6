"""WebQSP (Yih et al., ACL 2016), what others published of it, into the project's own formats.

Reads, each plain or .xz, RRA's subgraphs (`rra_test_subgraphs.txt`: question, topic, answers and reasoning paths of
`(subject, relation, object)`), GNN-RAG's paths (`gnnrag_test_reasoning_paths.jsonl`: `entity -> relation -> entity`,
walked in either direction) and RoG's relation paths (`rog_gold_relation_paths_{train,validation,test}.jsonl`, without
directions). The graph is the union of the first two, so it covers the test questions alone; each of RRA's nameless
placeholders becomes a node of its own for each path, as one `CVT1` stands for many mediators of a question.

A test question's gold path is the directed one that from its topic comes closest to its answers. The other topics are
mostly not in the graph, so their paths are directed by the whole of it: fewest steps backwards, then most walks. Where
several are as good, a training question stands there once for each of the first few: the shortest, then those most
common in training for their fan-out, as one that leads to everybody of a profession meets an answer by chance. A
validation question stands there once. The path is null where the graph walks none. Topics and answers come from
`../webquestions` by the text of the question, where that is there.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from question_sets.directed_paths import PathDirections
from question_sets.freebase import Triple, directed
from question_sets.records import QuestionRecord
from question_sets.source import required, rows
from question_sets.webquestions import read_webquestions
from question_sets.writers import ConvertedFile, write_graph, write_questions
from shared.text import normalise

# A question of several paths teaches to look at all of them; more would drown what it means.
_MOST_PATHS = 4
_SPLITS = {"train": "train", "valid": "validation"}
_ROW = "question, topic, answer|answer, (subject, relation, object)|... and triples between tabs"
_GROUND = '{"question": str, "ground_paths": [[relation, ...], ...]}'
_PATHS = '{"paths": ["entity -> relation -> entity", ...]}'
# Names may hold commas and brackets, relations neither.
_TRIPLE = re.compile(r"(.+?), ([a-z0-9_]+(?:\.[a-z0-9_]+)+), (.+)")
_PLACEHOLDER = re.compile(r"CVT\d+")


@dataclass(frozen=True, slots=True)
class _Row:
    question: str
    topic: str
    answers: tuple[str, ...]
    paths: tuple[tuple[Triple, ...], ...]


class _Ground(BaseModel):
    question: str
    ground_paths: list[list[str]]


class _Walked(BaseModel):
    paths: list[str]


def convert_webqsp(source: Path, out: Path) -> list[ConvertedFile]:
    """Write `graph.tsv` and `{train,valid,test}.jsonl` into `out`.

    Raises NotFoundError when `source` is not such a folder, InvalidInputError (file, line, reason) for a bad line.
    """
    subgraphs = required(source, "rra_test_subgraphs.txt", "WebQSP")
    walks = required(source, "gnnrag_test_reasoning_paths.jsonl", "WebQSP")
    ground = {split: _ground(source, name) for split, name in {**_SPLITS, "test": "test"}.items()}
    asked = list(rows(subgraphs, _row, _ROW))
    paths = dict.fromkeys(path for row in asked for path in row.paths)
    known = list(dict.fromkeys(triple for number, path in enumerate(paths, 1) for triple in _placed(path, number)))
    edges = [edge for found in rows(walks, _edges, _PATHS) for edge in found]
    triples = [*known, *directed(known, edges)]
    directions = PathDirections(triples)
    beside = source.resolve().parent / "webquestions"
    details = {normalise(record.question): record for record in (read_webquestions(beside) if beside.is_dir() else ())}
    common = Counter(tuple(path) for question in ground["train"] for path in question.ground_paths)
    out.mkdir(parents=True, exist_ok=True)
    written = [write_graph(out / "graph.tsv", triples)]
    for split in _SPLITS:
        most = _MOST_PATHS if split == "train" else 1
        records = [r for question in ground[split] for r in _told(question, directions, common, details, most)]
        written.append(write_questions(out / f"{split}.jsonl", records))
    return [*written, write_questions(out / "test.jsonl", _tests(asked, ground["test"], directions))]


def likeliest_paths(
    ground_paths: Iterable[Sequence[str]], directions: PathDirections, common: Mapping[tuple[str, ...], int]
) -> list[tuple[str, ...]]:
    """The paths to learn, directed by the graph, likeliest first; none where the graph walks none of them."""
    found = [(tuple(ground), path) for ground in ground_paths if (path := directions.likeliest(ground))]
    ranked = sorted((len(path), -common.get(ground, 0) / directions.fan_out(path), path) for ground, path in found)
    return list(dict.fromkeys(path for _, _, path in ranked))


def _told(
    question: _Ground,
    directions: PathDirections,
    common: Mapping[tuple[str, ...], int],
    details: Mapping[str, QuestionRecord],
    most: int,
) -> Iterator[QuestionRecord]:
    found = details.get(normalise(question.question))
    paths: list[tuple[str, ...] | None] = [*likeliest_paths(question.ground_paths, directions, common)[:most]]
    for path in paths or [None]:
        yield QuestionRecord(
            question=question.question,
            topic=found.topic if found else None,
            answers=found.answers if found else (),
            path=path,
        )


def _tests(asked: Iterable[_Row], ground: Iterable[_Ground], directions: PathDirections) -> Iterator[QuestionRecord]:
    paths = {normalise(question.question): question.ground_paths for question in ground}
    for row in asked:
        best = directions.best(paths.get(normalise(row.question), ()), row.topic, row.answers)
        yield QuestionRecord(
            question=row.question, topic=row.topic, answers=row.answers, path=best[0] if best else None
        )


def _ground(source: Path, split: str) -> list[_Ground]:
    file = required(source, f"rog_gold_relation_paths_{split}.jsonl", "WebQSP")
    return list(rows(file, _Ground.model_validate_json, _GROUND))


def _row(line: str) -> _Row:
    question, topic, answers, paths, _ = line.split("\t")
    split = paths.removeprefix("(").removesuffix(")").split(")|(") if paths else []
    return _Row(
        question=question,
        topic=_name(topic),
        answers=tuple(dict.fromkeys(_name(answer) for answer in answers.split("|"))),
        paths=tuple(tuple(_triple(triple) for triple in path.split(") (")) for path in split),
    )


def _triple(text: str) -> Triple:
    match = _TRIPLE.fullmatch(text)
    if match is None:
        raise ValueError(f"no `subject, relation, object` in {text!r}")
    subject, relation, object_ = match.groups()
    return _name(subject), relation, _name(object_)


def _placed(path: tuple[Triple, ...], number: int) -> Iterator[Triple]:
    """The path's triples, with nodes of their own for its placeholders.

    A placeholder of which nothing but one triple is known leads nowhere and is left out with it.
    """
    ends = Counter(end for subject, _, object_ in dict.fromkeys(path) for end in (subject, object_))
    nodes = {end: f"_:b{number}{end.lower()}" for end in ends if _PLACEHOLDER.fullmatch(end)}
    for subject, relation, object_ in path:
        if all(ends[end] > 1 for end in (subject, object_) if end in nodes):
            yield nodes.get(subject, subject), relation, nodes.get(object_, object_)


def _edges(line: str) -> list[Triple]:
    found: list[Triple] = []
    for path in _Walked.model_validate_json(line).paths:
        words = [word.strip() for word in path.split(" -> ")]
        if len(words) % 2 == 0:
            raise ValueError(f"no `entity -> relation -> entity` in {path!r}")
        nodes = [_name(word) for word in words[::2]]
        found += zip(nodes, words[1::2], nodes[1:], strict=False)
    return found


def _name(text: str) -> str:
    """A name on one line, without characters that cannot be printed."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
