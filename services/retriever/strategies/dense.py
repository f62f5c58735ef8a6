"""Answer by the triples around the linked entities whose texts are most similar to the question (Bridging the Gap).

The paper gives the triples to a language model. Here, the relation paths that they form from a linked entity are
followed in the graph, so that an answer set is complete even if some of its triples are not among the most similar.
"""

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from contracts.answers import ReplyWarning
from graph.store import GraphStore
from services.retriever.dense.triple_index import FoundPath, Topic, TripleIndex
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_predictor import PredictedPath
from services.retriever.paths.sampling import CandidatePath, WalkedPath, walk_candidates
from services.retriever.replies.asked import Asked
from services.retriever.replies.reply import PathReply
from services.retriever.strategies.chain_of_thought import growing_queries, thoughts_about
from services.retriever.strategies.path_response import RULE, FoundPaths, path_reply, softmax
from shared.llm.client import LanguageModel
from shared.text import with_full_stop

TRIPLES = 30
"""The number of triples to retrieve for a question, the paper's k."""
THRESHOLD = 0.6
"""The least share of the best path."""
UNTRAINED = 0.5
"""The factor of the confidence if the encoder was not trained: about half of the answers are right then."""


class DenseStrategy:
    """Rank the relation paths that the most similar triples form. Safe for concurrent use.

    The confidence is the share of the best path in a softmax over all paths, times the score of its entity, and half of
    that without training. It is not calibrated.
    """

    def __init__(
        self,
        store: GraphStore,
        linker: EntityLinker,
        index: TripleIndex,
        model: LanguageModel | None = None,
    ) -> None:
        """Compare triples with the question and, if there is a language model, with its chain of thought."""
        self._store = store
        self._linker = linker
        self._index = index
        self._model = model
        self._trust = 1.0 if index.is_trained else UNTRAINED

    async def reply(self, asked: Asked) -> PathReply:
        """Answer a question; see `RetrievalStrategy.reply`."""
        started = time.perf_counter()
        topics = await self._linker.topics(asked.question, asked.topic_entity)
        linked = time.perf_counter()
        model = self._model if topics else None  # without a linked entity, there is no path
        found_thoughts = await thoughts_about(asked.question.text, model) if model else []
        thoughts = [] if isinstance(found_thoughts, str) else found_thoughts
        found_paths = await self._search(growing_queries(asked.question.text, thoughts), topics) if topics else []
        ranked = await self._walked(candidates(topics, found_paths))
        found = FoundPaths(topics, ranked, (linked - started) * 1000, (time.perf_counter() - linked) * 1000)
        reply = await path_reply(self._store, asked, found, THRESHOLD * self._trust)
        return reply.warned(_no_thoughts(found_thoughts)) if isinstance(found_thoughts, str) else reply

    async def _search(self, queries: Sequence[str], topics: Sequence[LinkedTopic]) -> Sequence[FoundPath]:
        found = await asyncio.to_thread(self._index.search, queries, TRIPLES, searched(topics))
        return found.paths

    async def _walked(self, paths: Sequence[CandidatePath]) -> list[WalkedPath]:
        """Follow the paths, and score those that reach an entity against each other."""
        walked = await walk_candidates(self._store, paths, RULE)
        if not walked:
            return []
        shares = self._trust * softmax(np.array([candidate.score for candidate, _ in walked], dtype=np.float32))
        scored = [
            WalkedPath(CandidatePath(one.topic, one.path, float(share) * one.topic.score), walk)
            for (one, walk), share in zip(walked, shares, strict=True)
        ]
        return sorted(scored, key=lambda path: -path.candidate.score)


def _no_thoughts(reason: str) -> ReplyWarning:
    text = with_full_stop(f"Triples were compared with the question alone: {reason}")
    return ReplyWarning(kind="no_thoughts", text=text)


def searched(topics: Sequence[LinkedTopic]) -> list[Topic]:
    """Return the topic entities to search around; what the question names elsewhere is no answer."""
    return [
        Topic(
            one.entity.id,
            one.mention,
            frozenset(other.entity.id for other in topics if other.mention != one.mention) - {one.entity.id},
        )
        for one in topics
    ]


def candidates(topics: Sequence[LinkedTopic], paths: Sequence[FoundPath]) -> list[CandidatePath]:
    """Return the paths to follow in the graph, with their similarities as scores."""
    return [CandidatePath(topics[path.start], PredictedPath(path.relations, 1.0), path.similarity) for path in paths]
