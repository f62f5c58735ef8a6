"""The questions that an evaluation got wrong, and which step of the pipeline is to blame."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel

from evaluation.outcomes import Outcome
from shared.exact_match import exact
from shared.graph.store import Entity, GraphStore, PathWalk, RelationPath, WalkRule

_WALKS_A_CALL = 100


class Why(StrEnum):
    """The first reason that holds, in this order."""

    FAILED = "a dependency failed"
    ANSWERED = "answered what the graph does not know"
    GRAPH = "graph lacks it"
    LINKED = "linked wrong"
    SILENT = "kept silent"
    PATH = "path wrong"
    ORDER = "another answer first"


class Mistake(BaseModel):
    """A question whose top answer is not a gold one: what was wanted, and what came.

    `predicted`, `confidence`: where the system kept silent, of what it would have answered.
    """

    question: str
    why: Why
    topic: str | None
    linked: str | None
    path: RelationPath | None
    predicted: RelationPath
    confidence: float
    answers: tuple[str, ...]
    answered: tuple[str, ...]


async def mistakes(outcomes: Sequence[Outcome], store: GraphStore, rule: WalkRule) -> list[Mistake]:
    """The outcomes that are no strict hit, in order. `graph lacks it`: the gold path does not reach a gold answer."""
    wrong = [outcome for outcome in outcomes if not outcome.is_right]
    held = await _held_by_graph(wrong, store, rule)
    return [
        Mistake(
            question=outcome.record.question,
            why=_why(outcome, is_held),
            topic=outcome.record.topic,
            linked=outcome.topic,
            path=outcome.record.path,
            predicted=outcome.path or outcome.next_best,
            confidence=round(outcome.confidence, 4),
            answers=outcome.record.answers,
            answered=outcome.answers,
        )
        for outcome, is_held in zip(wrong, held, strict=True)
    ]


def _why(outcome: Outcome, is_held: bool) -> Why:
    record = outcome.record
    if outcome.failed:
        return Why.FAILED
    if not record.answers:
        return Why.ANSWERED
    if not is_held:
        return Why.GRAPH
    if record.topic is not None and outcome.topic != record.topic:
        return Why.LINKED
    if not outcome.answers:
        return Why.SILENT
    return Why.PATH if outcome.path != record.path else Why.ORDER


async def _held_by_graph(outcomes: Sequence[Outcome], store: GraphStore, rule: WalkRule) -> list[bool]:
    """Whether the gold path leads from the gold topic to a gold answer; taken for granted where either is unknown."""
    topics = await store.entities_named([outcome.record.topic or "" for outcome in outcomes])
    starts: list[tuple[Entity, RelationPath]] = []
    owners: list[int] = []
    for number, (outcome, matches) in enumerate(zip(outcomes, topics, strict=True)):
        if outcome.record.path:
            starts += [(match.entity, outcome.record.path) for match in matches]
            owners += [number] * len(matches)
    walks: list[PathWalk] = []
    for first in range(0, len(starts), _WALKS_A_CALL):
        walks += await store.walk(starts[first : first + _WALKS_A_CALL], rule)
    held = [outcome.record.topic is None or not outcome.record.path for outcome in outcomes]
    for number, walk in zip(owners, walks, strict=True):
        gold = {exact(answer) for answer in outcomes[number].record.answers}
        if walk.unfinished or any(exact(reached.entity.name) in gold for reached in walk.reached):
            held[number] = True
    return held
