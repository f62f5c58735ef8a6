"""Answer by the triples whose texts are most similar to the question (Bridging the Gap).

The paper gives the triples to a language model. Here, the relation paths that they form from a linked entity are
followed in the graph, so that an answer set is complete even if some of its triples are not among the most similar.
"""

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from services.retriever.dense.triple_index import FoundTriple, TripleIndex
from services.retriever.execution.sampling import CandidatePath, WalkedPath, walk_candidates
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.prediction.path_predictor import PredictedPath
from services.retriever.strategies.chain_of_thought import growing_queries, thoughts_about
from services.retriever.strategies.path_response import RULE, FoundPaths, linked_topics, path_response, softmax
from shared.contracts import ReplyWarning, RetrieveRequest, RetrieveResponse
from shared.graph.store import INVERSE, Entity, GraphStore, RelationPath
from shared.llm.client import LanguageModel
from shared.text import with_full_stop

TRIPLES = 30
"""The number of triples to retrieve for a question, the paper's k."""
THRESHOLD = 0.4

_Paths = dict[tuple[int, RelationPath], float]
"""The similarity of each relation path, by the place of its topic entity."""


class DenseStrategy:
    """Rank the relation paths that the most similar triples form. Safe for concurrent use.

    The confidence is the share of the best path in a softmax over all paths, and over the relations of the triples
    without a linked entity, times the score of its entity. It is not calibrated.
    """

    def __init__(
        self,
        store: GraphStore,
        linker: EntityLinker,
        index: TripleIndex,
        model: LanguageModel | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        """Compare triples with the question and, if there is a language model, with its chain of thought."""
        self._store = store
        self._linker = linker
        self._index = index
        self._model = model
        self._threshold = threshold

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Answer a request; see `RetrievalStrategy.retrieve`."""
        started = time.perf_counter()
        topics = await linked_topics(self._linker, request)
        linked = time.perf_counter()
        model = self._model if topics else None  # without a linked entity, there is no path
        found_thoughts = await thoughts_about(request.question, model) if model else []
        thoughts = [] if isinstance(found_thoughts, str) else found_thoughts
        triples = await asyncio.to_thread(self._index.search, growing_queries(request.question, thoughts), TRIPLES)
        ranked = await self._walked(paths_of(topics, triples), rivals(topics, triples))
        found = FoundPaths(topics, ranked, (linked - started) * 1000, (time.perf_counter() - linked) * 1000)
        response = await path_response(self._store, request, found, self._threshold)
        if not isinstance(found_thoughts, str):
            return response
        return response.model_copy(update={"warnings": [*response.warnings, _no_thoughts(found_thoughts)]})

    async def _walked(self, paths: Sequence[CandidatePath], rivals: Sequence[float]) -> list[WalkedPath]:
        """Follow the paths, and score those that reach an entity against each other and against the rivals."""
        walked = await walk_candidates(self._store, paths, RULE)
        if not walked:
            return []
        scores = [*(candidate.score for candidate, _ in walked), *rivals]
        shares = softmax(np.array(scores, dtype=np.float32))[: len(walked)]
        scored = [
            WalkedPath(CandidatePath(one.topic, one.path, float(share) * one.topic.score), walk)
            for (one, walk), share in zip(walked, shares, strict=True)
        ]
        return sorted(scored, key=lambda path: -path.candidate.score)


def _no_thoughts(reason: str) -> ReplyWarning:
    text = with_full_stop(f"Triples were compared with the question alone: {reason}")
    return ReplyWarning(kind="no_thoughts", text=text)


def paths_of(topics: Sequence[LinkedTopic], triples: Sequence[FoundTriple]) -> list[CandidatePath]:
    """Return the paths of one or two triples that start at a topic entity and end where the question names nothing.

    The score of a path is the highest similarity of its last triples.
    """
    found: _Paths = {}
    beyond: dict[str, list[tuple[int, RelationPath]]] = {}
    places = {topic.entity.id: place for place, topic in enumerate(topics)}
    for triple in triples:
        for start, step, end in _directions(triple):
            if start.id in places and not _is_named(topics, places[start.id], end):
                _keep(found, (places[start.id], (step,)), triple.similarity)
                beyond.setdefault(end.id, []).append((places[start.id], (step,)))
    for triple in triples:
        if triple.subject.id in places or triple.object.id in places:
            continue
        for start, step, _ in _directions(triple):
            for place, path in beyond.get(start.id, ()):
                _keep(found, (place, (*path, step)), triple.similarity)
    return [
        CandidatePath(topics[place], PredictedPath(path, 1.0), similarity)
        for (place, path), similarity in found.items()
    ]


def rivals(topics: Sequence[LinkedTopic], triples: Sequence[FoundTriple]) -> list[float]:
    """Return the highest similarity of each relation among the triples without a topic entity.

    If these are as similar as the paths, the question probably asks for something that lies beyond the paths.
    """
    linked = {topic.entity.id for topic in topics}
    best: dict[str, float] = {}
    for triple in triples:
        if not linked & {triple.subject.id, triple.object.id}:
            best.setdefault(triple.relation, triple.similarity)  # the best come first
    return list(best.values())


def _directions(triple: FoundTriple) -> tuple[tuple[Entity, str, Entity], tuple[Entity, str, Entity]]:
    forward = (triple.subject, triple.relation, triple.object)
    return forward, (triple.object, INVERSE + triple.relation, triple.subject)


def _is_named(topics: Sequence[LinkedTopic], start: int, end: Entity) -> bool:
    """Return whether the question names an entity elsewhere than where it names the start of a path."""
    return any(topic.entity.id == end.id and topic.mention != topics[start].mention for topic in topics)


def _keep(found: _Paths, path: tuple[int, RelationPath], similarity: float) -> None:
    found[path] = max(similarity, found.get(path, similarity))
