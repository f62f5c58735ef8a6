"""Extract the subgraph along each training question's relation path (RRA, section 4.2, step 1)."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

from graph.store import GraphStore, PathWalk, WalkRule
from question_sets.records import QuestionRecord
from services.retriever.paths.sampling import group_evidence, triples_of
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from shared.exact_match import exact
from shared.triple import Triple

_BATCH = 100
# If a path fans out into many subgraphs, the texts for later ones would resemble those for the first few.
_MAX_PER_QUESTION = 3

NO_PATH, NO_TOPIC, NOWHERE, NO_ANSWER = (
    "has no relation path",
    "is about an entity that is not in the graph",
    "has a path that leads nowhere",
    "has a path that does not lead to its answers",
)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Hold one item of evidence for a question: the facts to rewrite, and the gold answers among them."""

    question: str
    facts: tuple[Triple, ...]
    answers: tuple[str, ...]

    @property
    def key(self) -> str:
        """Return a stable identifier, unique within a corpus."""
        content = [self.question, [astuple(fact) for fact in self.facts]]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Extracted:
    """Hold the distinct subgraphs for all questions, and count the questions without a subgraph, keyed by reason."""

    subgraphs: tuple[Subgraph, ...]
    dropped: Counter[str]


async def extract(store: GraphStore, records: Sequence[QuestionRecord], rule: WalkRule) -> Extracted:
    """Walk each question's relation path from its topic entity, and group the paths that reach gold answers.

    As in serving, reasoning paths that differ only in their last triple form one subgraph. Questions without a path or
    a topic are counted as dropped.
    """
    found: dict[str, Subgraph] = {}
    dropped: Counter[str] = Counter()
    asked = [record for record in records if record.path and record.topic]
    dropped[NO_PATH] = len(records) - len(asked)
    for start in range(0, len(asked), _BATCH):
        chunk = asked[start : start + _BATCH]
        for record, walk in zip(chunk, await _walks(store, chunk, rule), strict=True):
            subgraphs = list(_subgraphs(record, walk)) if walk else []
            found.update((subgraph.key, subgraph) for subgraph in subgraphs)
            if not subgraphs:
                dropped[NO_TOPIC if walk is None else NO_ANSWER if walk.reached else NOWHERE] += 1
    return Extracted(tuple(found.values()), +dropped)


async def _walks(store: GraphStore, records: Sequence[QuestionRecord], rule: WalkRule) -> list[PathWalk | None]:
    """Walk each record's path; return None for a record whose topic entity is not in the graph.

    If several entities share the name, use the best-known one from which the path reaches any entity.
    """
    named = await store.entities_named([record.topic or "" for record in records])
    starts = [(m.entity, r.path or ()) for r, matches in zip(records, named, strict=True) for m in matches]
    walked = dict(zip(starts, await store.walk(starts, rule), strict=True))
    walks = [[walked[m.entity, r.path or ()] for m in matches] for r, matches in zip(records, named, strict=True)]
    return [next((walk for walk in found if walk.reached), found[0] if found else None) for found in walks]


def _subgraphs(record: QuestionRecord, walk: PathWalk) -> Iterator[Subgraph]:
    gold = {exact(answer) for answer in record.answers}
    right = [reached for reached in walk.reached if exact(reached.entity.name) in gold]
    for group in group_evidence(right)[:_MAX_PER_QUESTION]:
        shown = group[: max(1, MAX_TRIPLES_IN_TEXT - len(group[0].reasoning_path) + 1)]
        yield Subgraph(record.question, triples_of(shown), tuple(reached.entity.name for reached in shown))
