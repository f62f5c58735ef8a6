"""List the doubts about plans."""

from collections.abc import Collection

from services.retriever.plans.judging.counts import COUNT_DOUBTS, ONE_EACH_DOUBT
from services.retriever.plans.judging.doubt import Doubt
from services.retriever.plans.judging.kinds import KIND_DOUBTS
from services.retriever.plans.judging.likelihood import IMPROBABLE_DOUBT, NOTHING_DOUBT
from services.retriever.plans.judging.meaning import MEANING_DOUBTS
from services.retriever.plans.judging.measures import MEASURE_DOUBTS
from services.retriever.plans.judging.moments import MOMENT_DOUBTS
from services.retriever.plans.judging.negation import NEGATION_DOUBTS
from services.retriever.plans.judging.orders import FEW_ROWS_DOUBT, ORDER_DOUBTS
from services.retriever.plans.judging.relationships import RELATIONSHIP_DOUBTS
from services.retriever.plans.judging.unlike_superlatives import SUPERLATIVE_DOUBT
from services.retriever.plans.judging.unlike_words import WORD_DOUBTS

DOUBTS: tuple[Doubt, ...] = (
    *MEANING_DOUBTS,
    *COUNT_DOUBTS,
    *ORDER_DOUBTS,
    *MOMENT_DOUBTS,
    *RELATIONSHIP_DOUBTS,
    *NEGATION_DOUBTS,
    *MEASURE_DOUBTS,
    *KIND_DOUBTS,
    IMPROBABLE_DOUBT,
    *WORD_DOUBTS,
    SUPERLATIVE_DOUBT,
    NOTHING_DOUBT,
    FEW_ROWS_DOUBT,
    ONE_EACH_DOUBT,
)
"""All doubts. Those that put plans last go from the most to the least important; the order of others is that of the
page that lists them, and in which words are compared."""


def doubts_without(names: Collection[str]) -> tuple[Doubt, ...]:
    """Return the doubts apart from those with these names."""
    return tuple(one for one in DOUBTS if one.name not in names)
