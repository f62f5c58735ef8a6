"""Keep part of the user's questions aside, to compare a retriever before and after training."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graph.store import GraphStore
from question_sets.records import QuestionRecord
from training.retriever.examples import mask_topics

_SHARE = 4  # a quarter of the questions, or half of them if they are few
_FEW, _MOST = 20, 200


@dataclass(frozen=True, slots=True)
class SplitQuestions:
    """Hold the questions to train on, and those kept aside to compare models with."""

    training: Sequence[QuestionRecord]
    aside: Sequence[QuestionRecord]


async def keep_aside(store: GraphStore, records: Sequence[QuestionRecord], seed: int) -> SplitQuestions:
    """Split questions by a hash, so that a question stays on its side when others are added.

    A quarter is kept aside, but at least 20 or half of the questions, and at most 200. Questions that differ only in
    their topic stay together, because a model that has seen one of them knows the wording of all.

    Raises:
        DependencyError: The graph store does not respond.
    """
    wanted = min(_MOST, max(len(records) // _SHARE, min(_FEW, len(records) // 2)))
    texts, _, _ = await mask_topics(store, records)
    by_text: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        by_text[" ".join(text.lower().split())].append(place)
    aside: set[int] = set()
    for text in sorted(by_text, key=lambda text: hashlib.sha256(f"{seed} {text}".encode()).digest()):
        if len(aside) + len(by_text[text]) <= wanted:
            aside.update(by_text[text])
    return SplitQuestions(
        [record for place, record in enumerate(records) if place not in aside],
        [record for place, record in enumerate(records) if place in aside],
    )
