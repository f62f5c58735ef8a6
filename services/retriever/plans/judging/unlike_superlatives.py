"""Doubt plans that sort by what a superlative is unlike: the friendliest dog by its weight."""

from collections.abc import Iterator, Sequence

from graph.plan.algebra import Aggregate, AggregateFunction, Order, Plan, Property
from graph.plan.traversal import walk
from language.english.stems import spelt_out
from language.english.superlatives import OPINIONS, superlatives
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion

UNLIKE = 0.27
"""The cosine similarity below which a superlative says nothing about a property. Of 46 right pairs such as `steepest`
and `slope`, all but `reliable` and `uptime` have more; of 34 wrong ones such as `bravest` and `height`, two have."""
UNLIKE_OPINION = 0.45
"""The same for opinions: `beautiful` and `price` have 0.32."""
_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)


def sorts_by_unlike(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan sorts by a property that a superlative of the question is unlike."""
    return bool(unlike_superlatives(candidate, asked))


def unlike_superlatives(candidate: Candidate, asked: AskedQuestion) -> Sequence[str]:
    """Return the superlatives of the question that the properties are unlike by which a plan sorts."""
    words = superlatives(asked.question)
    named = sorted({word for key in _ordering_keys(candidate.plan) for word in spelt_out(key)}) if words else []
    if asked.vectors is None or not named:
        return ()
    asked.vectors.learn((*words, *named))
    likeness = (asked.vectors.of(words) @ asked.vectors.of(named).T).max(axis=1)
    return [
        word
        for word, like in zip(words, likeness.tolist(), strict=True)
        if like < (UNLIKE_OPINION if word in OPINIONS else UNLIKE)
    ]


def _ordering_keys(plan: Plan) -> Iterator[str]:
    """Yield the properties by which a plan sorts, and of which it takes the least or the greatest."""
    for part in walk(plan):
        match part:
            case Order(keys=keys):
                yield from (one.key for key in keys for one in walk(key.value) if isinstance(one, Property))
            case Aggregate(function=function, value=Property(key=key)) if function in _EXTREMES:
                yield key


_DOG = "(:Dog {name: STRING, weight: INTEGER, friendliest: INTEGER})"

SUPERLATIVE_DOUBT = Doubt(
    "sorts-by-unlike",
    "the likeness of a superlative and the property that the plan sorts by",
    "finds the friendliest dog by its weight wrong",
    DoubtExample(
        _DOG,
        "Which is the friendliest dog?",
        "MATCH (d:Dog) RETURN d ORDER BY d.weight DESC LIMIT 1",
        right_question="Which is the heaviest dog?",
        right_plan="MATCH (d:Dog) RETURN d ORDER BY d.friendliest DESC LIMIT 1",
    ),
    Effect.WRONG,
    sorts_by_unlike,
    compares_words=True,
    misses=unlike_superlatives,
)
