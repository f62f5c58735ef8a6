"""Turn questions with relation paths into contrastive examples: the query of one hop, and triples to tell apart.

As in Bridging the Gap, the positives are triples on the relation path from the topic entity to the answers. Negatives
are sampled around the same entity, since these compete in the search.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graph.store import GraphStore
from question_sets.records import QuestionRecord
from services.retriever.dense.dense_encoder import MAX_HOPS, hop_text
from shared.errors import InvalidInputError
from training.dense.graph_walks import STOP_ROW, Step, WalkedGraph
from training.retriever.examples import check_relations, find_entities, mask_topics

NEGATIVES = 4
"""The number of other steps to sample around an entity."""


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """Hold a question with its topic masked, the row id of its topic entity, and its relation path."""

    text: str
    topic: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class HopExample:
    """Hold the query of one hop, the triple that it should resemble, or `STOP_ROW`, and triples that it should not."""

    text: str
    positive: int
    negatives: tuple[int, ...]


async def path_questions(
    store: GraphStore, graph: WalkedGraph, records: Sequence[QuestionRecord]
) -> tuple[list[PathQuestion], dict[str, int]]:
    """Return the questions to train on, and the number of those left out by reason.

    Raises InvalidInputError if a path has a relation that the graph lacks, or if no question remains.
    """
    check_relations(records, await store.relations())
    entities = await find_entities(store, {record.topic for record in records if record.topic})
    texts, *_ = await mask_topics(store, records)
    left_out = dict.fromkeys(("no path", f"a path of more than {MAX_HOPS} hops", "a path that leads nowhere"), 0)
    found = []
    for text, record in zip(texts, records, strict=True):
        if not record.path:
            left_out["no path"] += 1
        elif len(record.path) > MAX_HOPS:
            left_out[f"a path of more than {MAX_HOPS} hops"] += 1
        else:
            topics = [
                graph.entities[one.id] for one in entities.get(record.topic or "", ()) if one.id in graph.entities
            ]
            steps, random = graph.steps(record.path), np.random.default_rng(0)
            start = next((topic for topic in topics if graph.walk(topic, steps, random)), None)
            if start is None:
                left_out["a path that leads nowhere"] += 1
            else:
                found.append(PathQuestion(text, start, tuple(steps)))
    if not found:
        why = "; ".join(f"{number:,} with {reason}" for reason, number in left_out.items() if number)
        raise InvalidInputError(
            f"no question can be used ({why}): training needs questions with `topic` and `path`, such as "
            '{"question": "...", "topic": "...", "answers": ["..."], "path": ["^directed_by", "release_year"]}'
        )
    return found, {reason: number for reason, number in left_out.items() if number}


def hop_examples(
    graph: WalkedGraph, question: PathQuestion, hops: int, random: np.random.Generator
) -> list[HopExample]:
    """Return an example for each hop of a random walk along the path, and one for its end unless it has all `hops`."""
    walk = graph.walk(question.topic, list(question.steps), random)
    if walk is None:
        return []
    positives = [*walk.rows, STOP_ROW][:hops]
    return [
        HopExample(hop_text(question.text, hop + 1), positive, tuple(graph.negatives(walk, hop, NEGATIVES, random)))
        for hop, positive in enumerate(positives)
    ]
