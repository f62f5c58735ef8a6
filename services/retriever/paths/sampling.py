"""Sample triples: walk relation paths in the graph and collect answers with reasoning paths (RRA, section 4.1.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from contracts.answers import EvidenceTriples
from graph.store import Entity, GraphStore, PathEnd, PathWalk, WalkRule
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_predictor import PredictedPath
from shared.errors import TooManyPathsError
from shared.triple import Triple

MAX_WALKS = 50
MAX_EVIDENCE = 500
MAX_LOWER_ANSWERS = 100
# Lower-ranked candidates must not tie with the best one.
_STRICTLY_LOWER = 0.999


@dataclass(frozen=True, slots=True)
class CandidatePath:
    """Hold a pair of topic entity and relation path, with its score."""

    topic: LinkedTopic
    path: PredictedPath
    score: float


class WalkedPath(NamedTuple):
    """Hold a candidate path and the result of walking it in the graph."""

    candidate: CandidatePath
    walk: PathWalk


@dataclass(frozen=True, slots=True)
class SampledAnswer:
    """Hold an entity that a path reaches, its score, and the index of its evidence."""

    entity: Entity
    score: float
    evidence: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Hold the answer set, answers of other candidates, and the evidence that both index.

    `truncated` is whether the best candidate reaches more answers than are listed.
    """

    answers: list[SampledAnswer]
    other_answers: list[SampledAnswer]
    evidence: list[EvidenceTriples]
    truncated: bool


async def walk_candidates(store: GraphStore, candidates: Sequence[CandidatePath], rule: WalkRule) -> list[WalkedPath]:
    """Walk the best candidates in one store call, and return the candidates that reach an entity, best first.

    Raises TooManyPathsError if the best candidate fans out too far, since a lower-ranked one must not take its place,
    and DependencyError if the store does not respond.
    """
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)[:MAX_WALKS]
    if not ranked:
        return []
    walks = await store.walk([(candidate.topic.entity, candidate.path.relations) for candidate in ranked], rule)
    walked = [WalkedPath(*pair) for pair in zip(ranked, walks, strict=True) if pair[1].reached or pair[1].unfinished]
    if walked and walked[0].walk.unfinished:
        walk = walked[0].walk
        raise TooManyPathsError(
            f"too many paths to follow from {walk.topic.name!r} along {' '.join(walk.relation_path)}; "
            "ask about an entity with fewer connections"
        )
    return [path for path in walked if not path.walk.unfinished]


def sample(walked: Sequence[WalkedPath], max_paths: int) -> Sample:
    """Collect answers and evidence in descending order of score.

    The best candidate's answers are listed in the graph's order and share one score; their evidence is limited to
    `MAX_EVIDENCE` items. Each lower-ranked candidate contributes at most `MAX_LOWER_ANSWERS` new answers, with lower
    scores. Together, the lower-ranked candidates contribute at most `max_paths` items of evidence, the paper's M.
    """
    answers: dict[str, SampledAnswer] = {}
    best = 0
    evidence: list[EvidenceTriples] = []
    truncated = False
    score = 1.0
    for place, (candidate, walk) in enumerate(walked):
        new = [reached for reached in walk.reached if reached.entity.id not in answers]
        if place == 0:
            score = candidate.score
            groups = group_evidence(new)[:MAX_EVIDENCE]
            truncated = walk.truncated or sum(map(len, groups)) < len(new)
        else:
            score = min(candidate.score, score * _STRICTLY_LOWER)
            groups = group_evidence(new[:MAX_LOWER_ANSWERS])[:max_paths]
            max_paths -= len(groups)
        for group in groups:
            for reached in group:
                answers[reached.entity.id] = SampledAnswer(reached.entity, score, len(evidence))
            evidence.append(EvidenceTriples(triples=list(triples_of(group))))
        best = best if place else len(answers)
        if max_paths <= 0:
            break
    found = list(answers.values())
    return Sample(found[:best], found[best:], evidence, truncated)


def group_evidence(reached: Iterable[PathEnd]) -> list[list[PathEnd]]:
    """Group answers whose reasoning paths differ only in the last triple, in order of appearance."""
    groups: dict[tuple[Triple, ...], list[PathEnd]] = {}
    for answer in reached:
        groups.setdefault(answer.reasoning_path[:-1], []).append(answer)
    return list(groups.values())


def triples_of(group: Iterable[PathEnd]) -> tuple[Triple, ...]:
    """Return the triples that a group's reasoning paths share, each once, and the last triple of each path."""
    return tuple(dict.fromkeys(triple for answer in group for triple in answer.reasoning_path))
