"""Let the work of training on a graph alone grow with the graph."""

from dataclasses import replace

from shared.graph.store import GraphStore
from training.retriever.training_loop import Hyperparameters

_FACTS_PER_PLAN = 20
"""Facts that add one made-up question for the plan model, which knows how people ask before it sees the graph."""

_LEAST_EXAMPLES, _LEAST_QUESTIONS = 600, 40
_BATCH, _VALIDATIONS = 8, 5
_TINY = 100


async def count_facts(store: GraphStore) -> int:
    """Return the number of facts of a graph. Raises DependencyError if the store does not respond."""
    return sum(one.count for one in (await store.schema()).relationships.values())


def for_facts(options: Hyperparameters, facts: int) -> Hyperparameters:
    """Return options for training on a graph alone, with fewer examples for a small graph.

    Questions made from a small graph are so alike that more examples teach little. Smaller batches and a higher rate
    make up for part of what is left out.
    """
    examples = _LEAST_EXAMPLES + facts
    if examples >= options.max_examples:
        return options
    rate = 2 * options.learning_rate
    return replace(options, max_examples=examples, batch_size=_BATCH, learning_rate=rate, validations=_VALIDATIONS)


def is_tiny(facts: int) -> bool:
    """Return whether a graph is so small that made-up questions would teach the plan model nothing new."""
    return facts <= _TINY


def plan_questions(facts: int, most: int) -> int:
    """Return how many questions to make up for the plan model, up to `most`."""
    return min(most, _LEAST_QUESTIONS + facts // _FACTS_PER_PLAN)
