"""Subgraph extraction: the facts along a training question's relation path (RRA, section 4.2, step 1)."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from question_sets.records import QuestionRecord
from services.retriever.execution.evidence import facts_of, group_evidence
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from shared.exact_match import exact
from shared.graph.store import Entity, GraphStore, PathWalk, WalkRule
from shared.triple import Triple

_AT_ONCE = 100
# Of a path that fans out only so many subgraphs are taken: the others would be worded like them.
_MOST_OF_A_QUESTION = 3

NO_PATH, NO_TOPIC, NOWHERE, NO_ANSWER = (
    "has no relation path",
    "is about an entity that the graph lacks",
    "has a path that leads nowhere",
    "has a path that does not lead to its answers",
)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """One item of evidence for a question: facts as the rewriter is given them, and the gold answers among them."""

    question: str
    facts: tuple[Triple, ...]
    answers: tuple[str, ...]

    @property
    def key(self) -> str:
        """What tells it from all others of a corpus, whenever it is extracted."""
        facts = [(fact.subject, fact.relation, fact.object) for fact in self.facts]
        return hashlib.sha256(json.dumps([self.question, facts]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Extracted:
    """The subgraphs of all questions, each once, and how many questions gave none for which reason."""

    subgraphs: tuple[Subgraph, ...]
    dropped: Counter[str]


async def extract(store: GraphStore, records: Sequence[QuestionRecord], rule: WalkRule) -> Extracted:
    """Walk each question's relation path from its topic entity.

    Reasoning paths that share all but their last triple are one subgraph, as in serving. Raises DependencyError if the
    store does not answer.
    """
    found: dict[str, Subgraph] = {}
    dropped: Counter[str] = Counter()
    asked = [record for record in records if record.path and record.topic]
    dropped[NO_PATH] = len(records) - len(asked)
    for start in range(0, len(asked), _AT_ONCE):
        chunk = asked[start : start + _AT_ONCE]
        for record, walk in zip(chunk, await _walks(store, chunk, rule), strict=True):
            subgraphs = list(_subgraphs(record, walk)) if walk else []
            found.update((subgraph.key, subgraph) for subgraph in subgraphs)
            if not subgraphs:
                dropped[NO_TOPIC if walk is None else NO_ANSWER if walk.reached else NOWHERE] += 1
    return Extracted(tuple(found.values()), +dropped)


async def _walks(store: GraphStore, records: Sequence[QuestionRecord], rule: WalkRule) -> list[PathWalk | None]:
    """What each record's path reaches; None where the graph has no such topic entity.

    Of several entities of one name the best known that the path leads on from counts.
    """
    bearers = await store.entities_named([record.topic or "" for record in records])
    starts = [(m.entity, r.path or ()) for r, matches in zip(records, bearers, strict=True) for m in matches]
    walked = dict(zip(starts, await store.walk(starts, rule), strict=True))
    return [
        _first([m.entity for m in matches], record.path or (), walked)
        for record, matches in zip(records, bearers, strict=True)
    ]


def _first(
    bearers: Sequence[Entity], path: tuple[str, ...], walked: dict[tuple[Entity, tuple[str, ...]], PathWalk]
) -> PathWalk | None:
    walks = [walked[entity, path] for entity in bearers]
    return next((walk for walk in walks if walk.reached), walks[0] if walks else None)


def _subgraphs(record: QuestionRecord, walk: PathWalk) -> Iterator[Subgraph]:
    gold = {exact(answer) for answer in record.answers}
    right = [reached for reached in walk.reached if exact(reached.entity.name) in gold]
    for group in group_evidence(right)[:_MOST_OF_A_QUESTION]:
        shown = group[: max(1, MAX_TRIPLES_IN_TEXT - len(group[0].reasoning_path) + 1)]
        yield Subgraph(record.question, facts_of(shown), tuple(reached.entity.name for reached in shown))
