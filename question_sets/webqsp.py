"""Convert WebQSP (Yih et al., ACL 2016) from the derived files that later papers published.

Reads three sources, each plain or .xz:

- RRA's subgraphs, `rra_test_subgraphs.txt`: question, topic, answers, and reasoning paths of
  `(subject, relation, object)`
- GNN-RAG's paths, `gnnrag_test_reasoning_paths.jsonl`: `entity -> relation -> entity`, walked in either direction
- RoG's relation paths, `rog_gold_relation_paths_{train,validation,test}.jsonl`, without directions

The graph is the union of the first two, so it covers only the test questions. Each of RRA's nameless placeholders
becomes a separate node for each path, because one `CVT1` represents many mediators within a question.

The gold path of a test question is the directed path from its topic whose results best match its answers. For training
and validation questions, most topics are not in the graph, so directions are chosen based on the whole graph.
Paths are ordered by length, then by frequency in training relative to fan-out, because a path that leads to everybody
in a profession reaches an answer by chance. The path is null if the graph has no such walk. Topics and answers are
looked up by question text in `../webquestions`, if that folder exists.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from question_sets.conversion import OutputFolder, parse_lines, require_file
from question_sets.edge_directions import PathDirector, direct_edges
from question_sets.records import QuestionRecord
from question_sets.webquestions import read_webquestions
from shared.text import normalise
from shared.triple import Triple

# Several paths per question teach the model to consider all of them; more paths would drown out the intended one.
_MAX_PATHS = {"train": 4, "valid": 1}
_ROG_SPLITS = {"train": "train", "valid": "validation", "test": "test"}
_SUBGRAPH = "question, topic, answer|answer, and (subject, relation, object)|..., separated by tabs"
_GOLD_PATHS = '{"question": str, "ground_paths": [[relation, ...], ...]}'
_WALKS = '{"paths": ["entity -> relation -> entity", ...]}'
# Names may contain commas and parentheses; relations may not.
_TRIPLE = re.compile(r"(.+?), ([a-z0-9_]+(?:\.[a-z0-9_]+)+), (.+)")
_PLACEHOLDER = re.compile(r"CVT\d+")


_Subgraph = tuple[QuestionRecord, list[tuple[Triple, ...]]]


class _GoldPaths(BaseModel):
    question: str
    ground_paths: list[list[str]]


class _Walks(BaseModel):
    paths: list[str]


def convert_webqsp(source: Path, out: Path) -> dict[Path, int]:
    """Write `graph.tsv` and `{train,valid,test}.jsonl` into `out`."""
    subgraph_file = require_file(source, "rra_test_subgraphs.txt", "WebQSP")
    walk_file = require_file(source, "gnnrag_test_reasoning_paths.jsonl", "WebQSP")
    gold = {split: _gold_paths(source, name) for split, name in _ROG_SPLITS.items()}
    subgraphs = list(parse_lines(subgraph_file, _subgraph, _SUBGRAPH))
    paths = dict.fromkeys(path for _, walked in subgraphs for path in walked)
    known = list(dict.fromkeys(t for number, path in enumerate(paths, 1) for t in _with_mediators(path, number)))
    edges = [edge for walk in parse_lines(walk_file, _edges, _WALKS) for edge in walk]
    triples = [*known, *direct_edges(known, edges)]
    director = PathDirector(triples)
    frequencies = Counter(tuple(path) for question in gold["train"] for path in question.ground_paths)
    folder = source.resolve().parent / "webquestions"
    details = {normalise(record.question): record for record in (read_webquestions(folder) if folder.is_dir() else [])}
    output = OutputFolder(out)
    output.write_graph("graph.tsv", triples)
    for split, most in _MAX_PATHS.items():
        records = [r for question in gold[split] for r in _with_paths(question, director, frequencies, details, most)]
        output.write_questions(f"{split}.jsonl", records)
    output.write_questions("test.jsonl", _test_records(subgraphs, gold["test"], director))
    return output.written


def _with_paths(
    question: _GoldPaths,
    director: PathDirector,
    frequencies: Mapping[tuple[str, ...], int],
    details: Mapping[str, QuestionRecord],
    most: int,
) -> Iterator[QuestionRecord]:
    """Yield the question with each of its `most` likeliest paths, or once without a path if there is none."""
    found = details.get(normalise(question.question))
    paths: list[tuple[str, ...] | None] = [*_likeliest_paths(question.ground_paths, director, frequencies)[:most]]
    for path in paths or [None]:
        yield QuestionRecord(
            question=question.question,
            topic=found.topic if found else None,
            answers=found.answers if found else (),
            path=path,
        )


def _likeliest_paths(
    undirected_paths: Iterable[Sequence[str]], director: PathDirector, frequencies: Mapping[tuple[str, ...], int]
) -> list[tuple[str, ...]]:
    """Direct the paths, and order them by length, then by frequency relative to fan-out."""
    found = [(tuple(relations), path) for relations in undirected_paths if (path := director.likeliest(relations))]
    ranked = sorted((len(path), -frequencies.get(key, 0) / director.fan_out(path), path) for key, path in found)
    return list(dict.fromkeys(path for _, _, path in ranked))


def _test_records(
    subgraphs: Iterable[_Subgraph], gold: Iterable[_GoldPaths], director: PathDirector
) -> Iterator[QuestionRecord]:
    paths = {normalise(question.question): question.ground_paths for question in gold}
    for record, _ in subgraphs:
        best = director.best(paths.get(normalise(record.question), ()), record.topic or "", record.answers)
        yield record.model_copy(update={"path": best})


def _gold_paths(source: Path, split: str) -> list[_GoldPaths]:
    file = require_file(source, f"rog_gold_relation_paths_{split}.jsonl", "WebQSP")
    return list(parse_lines(file, _GoldPaths.model_validate_json, _GOLD_PATHS))


def _subgraph(line: str) -> _Subgraph:
    question, topic, answers, paths, _ = line.split("\t")
    split = paths.removeprefix("(").removesuffix(")").split(")|(") if paths else []
    names = tuple(dict.fromkeys(_name(answer) for answer in answers.split("|")))
    record = QuestionRecord(question=question, topic=_name(topic), answers=names)
    return record, [tuple(_triple(triple) for triple in path.split(") (")) for path in split]


def _triple(text: str) -> Triple:
    match = _TRIPLE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} does not have the form `subject, relation, object`")
    subject, relation, object_ = match.groups()
    return Triple(_name(subject), relation, _name(object_))


def _with_mediators(path: tuple[Triple, ...], number: int) -> Iterator[Triple]:
    """Yield the path's triples with new nodes for placeholders, except triples whose placeholder leads nowhere."""
    ends = Counter(end for triple in dict.fromkeys(path) for end in (triple.subject, triple.object))
    nodes = {end: f"_:b{number}{end.lower()}" for end in ends if _PLACEHOLDER.fullmatch(end)}
    for triple in path:
        subject, object_ = triple.subject, triple.object
        if all(ends[end] > 1 for end in (subject, object_) if end in nodes):
            yield Triple(nodes.get(subject, subject), triple.relation, nodes.get(object_, object_))


def _edges(line: str) -> list[Triple]:
    found: list[Triple] = []
    for path in _Walks.model_validate_json(line).paths:
        words = [word.strip() for word in path.split(" -> ")]
        if len(words) % 2 == 0:
            raise ValueError(f"{path!r} does not have the form `entity -> relation -> entity`")
        nodes = [_name(word) for word in words[::2]]
        found += map(Triple, nodes, words[1::2], nodes[1:])
    return found


def _name(text: str) -> str:
    """Return a name on one line, without unprintable characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
