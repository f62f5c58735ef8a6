"""Answer by the facts around the linked entities that are most similar to the question (UniOQA's searcher).

UniOQA gives all facts to a language model. Here, the relation whose sentences are most similar to the question gives
the answers, so that they come from the graph and have evidence.
"""

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from graph.store import GraphStore
from services.retriever.encoder.encoder import Encoder
from services.retriever.encoder.sentence_vectors import sentence_vectors
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_predictor import PredictedPath
from services.retriever.paths.sampling import CandidatePath, WalkedPath, walk_candidates
from services.retriever.replies.asked import Asked
from services.retriever.replies.reply import PathReply
from services.retriever.strategies.path_response import RULE, FoundPaths, path_reply, softmax
from texts.verbalise.template import as_sentences

MAX_SENTENCES = 60
"""The number of sentences to encode for a question; each takes about a millisecond."""
THRESHOLD = 0.5
_SENTENCES_PER_RELATION = 2


class NeighbourhoodStrategy:
    """Rank the relations of the linked entities by similarity to the question. Safe for concurrent use.

    The confidence is the share of the best relation in a softmax over all of them, times the score of its entity. It is
    not calibrated.
    """

    def __init__(self, store: GraphStore, linker: EntityLinker, encoder: Encoder, threshold: float = THRESHOLD) -> None:
        self._store = store
        self._linker = linker
        self._encoder = encoder
        self._threshold = threshold

    async def reply(self, asked: Asked) -> PathReply:
        """Answer a question; see `RetrievalStrategy.reply`."""
        started = time.perf_counter()
        topics = await self._linker.topics(asked.question, asked.topic_entity)
        linked = time.perf_counter()
        ranked = await self._ranked(asked.question.text, topics)
        found = FoundPaths(topics, ranked, (linked - started) * 1000, (time.perf_counter() - linked) * 1000)
        return await path_reply(self._store, asked, found, self._threshold)

    async def _ranked(self, question: str, topics: Sequence[LinkedTopic]) -> list[WalkedPath]:
        """Return the relations around the topics with their ends, most similar first."""
        steps = await self._store.steps_after([(topic.entity, ()) for topic in topics]) if topics else []
        around = [
            CandidatePath(topic, PredictedPath((step,), 1.0), topic.score)
            for topic, found in zip(topics, steps, strict=True)
            for step in sorted(found)
        ]
        walked = (await walk_candidates(self._store, around, RULE))[: MAX_SENTENCES // _SENTENCES_PER_RELATION]
        if not walked:
            return []
        texts = [
            [as_sentences(end.reasoning_path) for end in path.walk.reached[:_SENTENCES_PER_RELATION]] for path in walked
        ]
        vectors = await asyncio.to_thread(
            sentence_vectors, self._encoder, [question, *(text for group in texts for text in group)]
        )
        similar = iter(vectors[1:] @ vectors[0])
        shares = softmax(np.array([max(next(similar) for _ in group) for group in texts], dtype=np.float32))
        scored = [
            WalkedPath(CandidatePath(one.topic, one.path, float(share) * one.topic.score), walk)
            for (one, walk), share in zip(walked, shares, strict=True)
        ]
        return sorted(scored, key=lambda path: -path.candidate.score)
