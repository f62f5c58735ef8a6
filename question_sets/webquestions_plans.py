"""Read WebQuestions as plan questions over schemas that consist of Freebase relations (CC BY 4.0).

`d-freebase-rp` lists the relation paths that lead from a topic to an answer, with the number of answers that each
reaches. The path that reaches most answers is taken; among several, the one whose names share most words with the
question, and none if several do. There is no graph: each schema consists of the relations of some dozens of questions.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter

from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from question_sets.conversion import require_file
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from question_sets.records import open_text
from question_sets.webquestions import topic_name

SPLITS = ("trainmodel", "val", "devtest")
_PER_SCHEMA = 60
_COUNT = 1000
# Domains that describe the database instead of the world.
_TECHNICAL = ("/common", "/type", "/base", "/user", "/freebase")
_NAME = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, _COUNT, 1.0, ("Some Name",))

Path_ = tuple[str, ...]
Row = TypeVar("Row", bound=BaseModel)


class _Question(BaseModel):
    qId: str  # noqa: N815 - the data set's field names
    qText: str  # noqa: N815


class _Key(BaseModel):
    qId: str  # noqa: N815
    freebaseKey: str  # noqa: N815


class _Paths(BaseModel):
    qId: str  # noqa: N815
    relPaths: list[tuple[list[str], int]]  # noqa: N815


def read_webquestions_plans(source: Path, seed: int = 1) -> PlanQuestionSet:
    """Return the questions of the training splits whose topic and path are clear."""
    rng = random.Random(seed)
    rows = [row for split in SPLITS for row in _rows(source, split)]
    rng.shuffle(rows)
    schemas: dict[str, GraphSchema] = {}
    questions: list[PlanQuestion] = []
    for start in range(0, len(rows), _PER_SCHEMA):
        name = f"webquestions{start // _PER_SCHEMA}"
        group = rows[start : start + _PER_SCHEMA]
        schemas[name] = _schema([path for *_, path in group])
        for question, topic, path in group:
            # People often do not write names with capitals; the data set never does.
            text = question if rng.random() < 0.4 else question.replace(topic, topic.title())
            mention = topic if topic in text else topic.title()
            questions.append(PlanQuestion(text, _plan(mention, path), name, name))
    return PlanQuestionSet(schemas, questions)


def _rows(source: Path, split: str) -> Iterator[tuple[str, str, Path_]]:
    """Yield the question, its topic as the question writes it, and its path."""
    questions = {one.qId: one.qText for one in _array(source / "main", split, _Question)}
    keys = {one.qId: one.freebaseKey for one in _array(source / "d-freebase", split, _Key)}
    for row in _array(source / "d-freebase-rp", split, _Paths):
        question, topic = questions[row.qId], topic_name(keys.get(row.qId, ""))
        path = _clearest(question, [(tuple(path), count) for path, count in row.relPaths])
        found = re.search(rf"(?<!\w){re.escape(topic)}(?!\w)", question, re.IGNORECASE) if topic else None
        if path is not None and found is not None:
            yield question, found.group(), path


def _array(folder: Path, split: str, model: type[Row]) -> list[Row]:
    file = require_file(folder, f"{split}.json", "WebQuestions")
    with open_text(file) as text:
        return TypeAdapter(list[model]).validate_json(text.read())  # type: ignore[valid-type]


def _clearest(question: str, paths: Sequence[tuple[Path_, int]]) -> Path_ | None:
    usable = [(path, count) for path, count in paths if not any(step.startswith(_TECHNICAL) for step in path)]
    most = max((count for _, count in usable), default=0)
    best = [path for path, count in usable if count == most]
    if len(best) == 1:
        return best[0]
    asked = set(re.findall(r"[a-z]+", question.lower()))
    shared = [(len(asked & set(re.findall(r"[a-z]+", " ".join(path)))), -len(path)) for path in best]
    top = max(shared, default=(0, 0))
    return best[shared.index(top)] if top[0] > 0 and shared.count(top) == 1 else None


def _parts(step: str) -> tuple[str, str]:
    """Split `/film/actor/film` into the kind that has the relation and its name."""
    *_, kind, name = step.split("/")
    return kind, name


def _schema(paths: Sequence[Path_]) -> GraphSchema:
    ends: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for path in paths:
        for step, following in zip(path, (*path[1:], None), strict=True):
            kind, name = _parts(step)
            ends[name].add((kind, _parts(following)[0] if following else ""))
    kinds = {kind for pairs in ends.values() for pair in pairs for kind in pair}
    return GraphSchema(
        {kind: KindSchema(_COUNT, {"name": _NAME}, "name") for kind in sorted(kinds)},
        {name: RelationshipSchema(_COUNT, frozenset(pairs)) for name, pairs in sorted(ends.items())},
    )


def _plan(topic: str, path: Path_) -> Plan:
    kinds = [_parts(step)[0] for step in path]
    nodes = [NodePattern(f"n{place}", (kind,) if kind else ()) for place, kind in enumerate([*kinds, ""])]
    links = [RelationshipPattern(f"n{place}", f"n{place + 1}", (_parts(step)[1],)) for place, step in enumerate(path)]
    match = Match(tuple(nodes), tuple(links), Comparison("=", Property("n0", "name"), Constant(topic)))
    return Plan((match, Project((Column("answer", Variable(f"n{len(path)}")),))))
