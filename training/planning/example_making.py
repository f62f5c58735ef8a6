"""Turn plan questions into training examples."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from question_sets.plan_questions import PlanQuestion
from shared.errors import KGQAError
from training.planning.alignment import align, linked, places_in, settled
from training.planning.examples import Example, SchemaInput, prepare
from training.planning.link_simulation import simulate_links
from training.planning.oracle import actions_of
from training.planning.question_order import in_question_order
from training.planning.stages import InexpressibleError, UnstatedValueError


@dataclass
class MadeExamples:
    """Hold examples, and the questions that could not become one, by reason."""

    examples: list[Example] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def make_examples(questions: Iterable[PlanQuestion], schemas: Mapping[str, SchemaInput], seed: int) -> MadeExamples:
    """Make an example of each question that the actions can express, without repetitions.

    Args:
        questions: The questions.
        schemas: The schemas that they name.
        seed: The seed for the links of values.
    """
    made = MadeExamples()
    rng = random.Random(seed)
    seen = set()
    for one in questions:
        schema = schemas[one.schema]
        try:
            actions, slots = actions_of(in_question_order(one.plan, places_in(one.question)), schema.elements)
            values, actions = align(one.question, actions, slots, schema.elements)
            key = (one.schema, one.question, tuple(actions))
            if key in seen:
                continue
            seen.add(key)
            values, actions = settled(linked(values, actions, slots, schema.elements), actions)
            values = simulate_links(one.question, values, schema.elements, rng)
            made.examples.append(prepare(one.question, schema, values, actions, one.source))
        except KGQAError as error:
            made.skipped[_reason(error)].append(one.question)
    return made


def _reason(error: KGQAError) -> str:
    if not isinstance(error, InexpressibleError) or isinstance(error, UnstatedValueError):
        return str(error)
    return f"no model predicts such a plan ({error}); write a simpler query, or trust the question with kgqa trust"
