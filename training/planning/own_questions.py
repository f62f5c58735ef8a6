"""Make up questions about a user's graph, with kinds or without."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graph.plan.values import Value
from question_sets.plan_questions import PlanQuestion
from services.retriever.plans.names.stored_texts import distinct_values
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.kind_names import UNNAMED
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.synthetic.plans.generation import generate
from training.synthetic.plans.nouns import Noun
from training.synthetic.plans.own_schema import Descriptions, worded
from training.synthetic.plans.specs import domains
from training.synthetic.plans.wordings import Split
from training.synthetic.plans.words import KindWords, WordedSchema

OWN = "own"
_SAMPLES = 300
_GENERAL_NOUNS = ("thing", "entry", "item", "one")


@dataclass(frozen=True)
class OwnQuestions:
    """Make up questions about one graph, in the words of its schema; equal seeds give equal questions."""

    words: WordedSchema

    @classmethod
    async def of(cls, view: GraphView, descriptions: Descriptions, seed: int) -> "OwnQuestions":
        """Read what questions about a graph need.

        Args:
            view: The graph.
            descriptions: Other names of kinds, properties, and relationship types.
            seed: The seed for the choice of values that questions name.

        Raises:
            DependencyError: The graph store does not respond.
        """
        values = await _values(view, SchemaElements.of(view.schema), seed)
        words = worded(view.schema, values, descriptions)
        rng = random.Random(seed)
        unnamed = {kind for kind in words.kinds if view.inferred is not None and kind.startswith(UNNAMED)}
        kinds = {kind: _any_words(rng) if kind in unnamed else found for kind, found in words.kinds.items()}
        return cls(replace(words, kinds=kinds))

    def questions(self, count: int, seed: int, split: Split = Split.TRAIN) -> Iterator[PlanQuestion]:
        """Yield up to `count` questions; fewer if there is too little to ask about."""
        return (replace(one, schema=OWN) for one in generate([self.words], count, seed, split))


def _any_words(rng: random.Random) -> KindWords:
    """Return many nouns for a kind that has no name, so that the model does not rely on any of them."""
    known = sorted({kind.words.nouns[0] for domain in domains() for kind in domain.kinds.values()}, key=str)
    general = [Noun(one, f"{one}s" if not one.endswith("y") else f"{one[:-1]}ies") for one in _GENERAL_NOUNS]
    return KindWords((*general, *rng.sample(known, 40)))


async def _values(view: GraphView, elements: SchemaElements, seed: int) -> Mapping[tuple[str, str], Sequence[Value]]:
    """Return many values of each property, by owner and key, for questions to name."""
    rng = random.Random(seed)
    values: dict[tuple[str, str], Sequence[Value]] = {}
    for number, one in enumerate(elements.properties):
        if one.span is not None:
            continue  # the graph does not store what is computed
        found = [value for value in await distinct_values(view, elements, number) if value is not None]
        values[one.owner, one.key] = rng.sample(found, min(_SAMPLES, len(found)))
    return values
