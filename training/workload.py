"""Let the work of training on a graph alone grow with the graph."""

from dataclasses import replace

from graph.store import GraphStore
from training.retriever.training_loop import Hyperparameters

# Examples that a fact adds, and facts that add a made-up question for the plan model. That model knows how people ask
# before it sees the graph.
_PER_FACT, _FACTS_PER_PLAN = 0.75, 40
_PER_GIVEN = 30
_LEAST_EXAMPLES, _LEAST_QUESTIONS = 500, 40
_BATCH, _VALIDATIONS, _FROZEN_LAYERS = 8, 5, 3
_TINY = 1_000


async def count_facts(store: GraphStore) -> int:
    """Return the number of facts of a graph. Raises DependencyError if the store does not respond."""
    return sum(one.count for one in (await store.schema()).relationships.values())


def for_facts(options: Hyperparameters, facts: int) -> Hyperparameters:
    """Return options for training on a graph alone, with fewer examples and fewer trained layers for a small graph.

    Questions made from a small graph are so alike that more examples teach little. Smaller batches and a higher rate
    make up for part of what is left out.
    """
    examples = _LEAST_EXAMPLES + round(_PER_FACT * facts)
    if examples >= options.max_examples:
        return options
    return replace(
        options,
        max_examples=examples,
        batch_size=_BATCH,
        learning_rate=2 * options.learning_rate,
        frozen_layers=_FROZEN_LAYERS,
        validations=_VALIDATIONS,
    )


def is_tiny(facts: int) -> bool:
    """Return whether a graph is so small that the packaged plan model serves it as it is."""
    return facts <= _TINY


def plan_questions(facts: int, given: int, most: int) -> int:
    """Return how many questions to make up for the plan model, up to `most`, beside `given` questions of people.

    Many made-up questions beside few of people's teach a model to forget how people ask.
    """
    return min(most, max(_LEAST_QUESTIONS + facts // _FACTS_PER_PLAN, _PER_GIVEN * given))
