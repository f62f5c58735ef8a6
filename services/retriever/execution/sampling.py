"""Triple sampling: relation paths walked in the graph give reasoning paths (RRA, section 4.1.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.retriever.execution.evidence import facts_of, group_evidence
from services.retriever.linking.selection import LinkedTopic
from services.retriever.prediction.path_predictor import PredictedPath
from shared.contracts import Answer, EvidenceTriples
from shared.errors import TooManyPathsError
from shared.graph.store import GraphStore, PathWalk, WalkRule

MAX_WALKS = 50
MAX_EVIDENCE = 500
MAX_LOWER_ANSWERS = 100
# A lower pair never ties with a better one: only the best pair's answers are the answer set.
_STRICTLY_LOWER = 0.999


@dataclass(frozen=True, slots=True)
class Candidate:
    """A topic entity with a relation path; `score`: link score x path score."""

    topic: LinkedTopic
    path: PredictedPath
    score: float


@dataclass(frozen=True, slots=True)
class Sample:
    """Answers with the evidence that their indexes point into; `truncated`: the best pair reaches more answers."""

    answers: list[Answer]
    evidence: list[EvidenceTriples]
    truncated: bool


async def existing_paths(
    store: GraphStore, candidates: Sequence[Candidate], rule: WalkRule
) -> list[tuple[Candidate, PathWalk]]:
    """The candidates that the graph has, best first, with what they reach; one walk call for all of them.

    Raises TooManyPathsError if the best of them could not be walked to its end: a lower one would pose as the best.
    """
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)[:MAX_WALKS]
    if not ranked:
        return []
    walks = await store.walk([(candidate.topic.entity, candidate.path.relations) for candidate in ranked], rule)
    existing = [(c, walk) for c, walk in zip(ranked, walks, strict=True) if walk.reached or walk.unfinished]
    if existing and existing[0][1].unfinished:
        walk = existing[0][1]
        raise TooManyPathsError(
            f"too many paths to follow from {walk.topic.name!r} along {' '.join(walk.relation_path)}; "
            "ask about a less connected entity"
        )
    return [(candidate, walk) for candidate, walk in existing if not walk.unfinished]


def sample(existing: Sequence[tuple[Candidate, PathWalk]], max_paths: int) -> Sample:
    """Collect answers and evidence in descending order of score.

    The best pair's answers are all taken, in the graph's order and with one score; each lower pair adds those not yet
    listed, with lower scores. Lower pairs together add at most `max_paths` items of evidence, the paper's M, and
    `MAX_LOWER_ANSWERS` answers each.
    """
    answers: dict[str, Answer] = {}
    evidence: list[EvidenceTriples] = []
    truncated = False
    score = 1.0
    for place, (candidate, walk) in enumerate(existing):
        score = candidate.score if place == 0 else min(candidate.score, score * _STRICTLY_LOWER)
        room = MAX_EVIDENCE if place == 0 else max_paths
        new = [reached for reached in walk.reached if reached.entity.id not in answers]
        if place:
            new = new[:MAX_LOWER_ANSWERS]
        groups = group_evidence(new)[:room]
        if place == 0:
            truncated = walk.truncated or sum(map(len, groups)) < len(new)
        else:
            max_paths -= len(groups)
        for group in groups:
            for reached in group:
                answers[reached.entity.id] = Answer(entity=reached.entity.name, score=score, evidence=[len(evidence)])
            evidence.append(EvidenceTriples(triples=list(facts_of(group))))
        if place and max_paths <= 0:
            break
    return Sample(list(answers.values()), evidence, truncated)
