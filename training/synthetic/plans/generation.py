"""Generate plan questions: choose a shape, a plan, and one of the wordings for it."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from graph.plan.schema import GraphSchema
from graph.plan.values import Value
from question_sets.plan_questions import PlanQuestion
from training.synthetic.plans.asked import Asked
from training.synthetic.plans.finishing import finished
from training.synthetic.plans.own_schema import worded
from training.synthetic.plans.pattern import NothingToSayError
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes import comparisons, counting, groups, listing, lookups, ranking, second_stages
from training.synthetic.plans.wordings import Split, choose_frame
from training.synthetic.plans.words import WordedSchema

Shape = Callable[[Describer], Asked]
SHAPES: Mapping[str, tuple[Shape, float]] = {
    "listing": (listing.listing, 18),
    "but_not": (listing.but_not, 3),
    "first": (listing.first, 3),
    "sorted": (listing.ordered, 1.5),
    "sorted_first": (listing.first_ordered, 2.5),
    "columns": (listing.columns, 4.5),
    "distinct": (listing.distinct, 1.2),
    "length": (listing.length, 0.4),
    "longest_text": (listing.longest_text, 0.4),
    "property": (lookups.property_of, 5),
    "properties": (lookups.properties_of, 1),
    "entity_yes_no": (lookups.is_it_true, 2),
    "hop": (lookups.hop, 7),
    "hop_count": (lookups.hop_count, 3),
    "whose": (lookups.whose, 3),
    "hop_property": (lookups.hop_property, 3),
    "pairs": (lookups.pairs, 2),
    "same_as": (lookups.same_as, 1.2),
    "link_property": (lookups.link_property, 1.5),
    "link_when": (lookups.link_property, 3),
    "link_values": (lookups.link_values, 2),
    "link_best": (lookups.link_best, 2),
    "count": (counting.count, 8),
    "count_but_not": (counting.count_but_not, 0.8),
    "count_distinct": (counting.count_distinct, 1),
    "exists": (counting.exists, 2.2),
    "aggregate": (counting.aggregate_of, 5),
    "aggregates": (counting.aggregates_of, 1),
    "superlative": (ranking.superlative, 5),
    "superlative_n": (ranking.superlative_n, 5),
    "second": (ranking.second, 0.7),
    "most_related": (ranking.most_related, 2.5),
    "most_related_n": (ranking.most_related_n, 3),
    "fewest_related": (ranking.fewest_related, 0.7),
    "having": (ranking.having, 3),
    "having_count": (ranking.having_count, 0.7),
    "most_common": (ranking.most_common, 1),
    "having_value": (ranking.having_value, 0.5),
    "count_per_group": (groups.count_per_group, 2.5),
    "per_group": (groups.per_group, 2.5),
    "best_measure": (groups.best_measure, 1),
    "having_measure": (groups.having_measure, 0.7),
    "compare": (comparisons.compare, 1.8),
    "compare_values": (comparisons.compare_values, 0.6),
    "compare_related": (comparisons.compare_related, 1),
    "is_more": (comparisons.is_more, 1),
    "than_named": (comparisons.than_named, 1.2),
    "difference": (comparisons.difference, 0.5),
    "shared": (comparisons.shared, 1.2),
    "shared_yes_no": (comparisons.shared_yes_no, 0.8),
    "both_yes_no": (comparisons.both_yes_no, 0.8),
    "above_average": (comparisons.above_average, 1),
    "best_property": (second_stages.best_property, 1.5),
    "best_hop": (second_stages.best_hop, 1.5),
    "best_hop_count": (second_stages.best_hop_count, 0.8),
}
"""The shapes of questions, by the name of their wordings, each with its weight."""

_TRIES = 200
FRAMES = {
    "but_not": "listing",
    "count_but_not": "count",
    "best_property": "property",
    "best_hop": "hop",
    "best_hop_count": "hop_count",
}
"""Shapes that are worded as others are, since they only describe a node differently."""


def generate(
    schemas: Sequence[WordedSchema], count: int, seed: int, split: Split = Split.TRAIN
) -> Iterator[PlanQuestion]:
    """Generate questions over schemas, as `invented_schemas` returns them.

    Args:
        schemas: The schemas.
        count: The number of questions; fewer if the schemas have too little to ask about.
        seed: The seed of all choices.
        split: Whether the wordings are those for training, or those that are held out.
    """
    rng = random.Random(f"{seed} {split}")
    made = failed = 0
    while made < count and failed < _TRIES:
        found = _question(rng.choice(schemas), split, rng)
        if found is None:
            failed += 1
            continue
        made, failed = made + 1, 0
        yield found


def questions_about(
    schema: GraphSchema,
    samples: Mapping[tuple[str, str], Sequence[Value]],
    count: int,
    seed: int,
    descriptions: Mapping[str, Sequence[str]] | None = None,
    split: Split = Split.TRAIN,
) -> Iterator[PlanQuestion]:
    """Generate questions about a graph, in the words of its schema.

    Args:
        schema: The schema of the graph.
        samples: Values of properties, by (owner, key); those of the schema stand in for missing ones.
        count: The number of questions.
        seed: The seed of all choices.
        descriptions: Other words for kinds, keys, and relationship types, by name, such as "boss" for "rpts_to".
        split: Whether the wordings are those for training, or those that are held out.
    """
    return generate([worded(schema, samples, descriptions or {})], count, seed, split)


def _question(schema: WordedSchema, split: Split, rng: random.Random) -> PlanQuestion | None:
    names = list(SHAPES)
    [name] = rng.choices(names, [weight for _, weight in SHAPES.values()])
    try:
        asked = SHAPES[name][0](Describer(schema, split, rng))
    except NothingToSayError:
        return None
    frame = choose_frame(FRAMES.get(name, name), asked.slots.keys(), split, rng)
    if frame is None:
        return None
    text = finished(frame, asked.slots, rng)
    return PlanQuestion(text, asked.plan, schema.name, f"synthetic:{name}")
