"""List the doubts about plans."""

from collections.abc import Collection

from services.retriever.plans.judging.counts import COUNT_DOUBTS
from services.retriever.plans.judging.doubt import Doubt
from services.retriever.plans.judging.kinds import KIND_DOUBTS
from services.retriever.plans.judging.likelihood import LIKELIHOOD_DOUBTS
from services.retriever.plans.judging.meaning import MEANING_DOUBTS
from services.retriever.plans.judging.measures import MEASURE_DOUBTS
from services.retriever.plans.judging.moments import MOMENT_DOUBTS
from services.retriever.plans.judging.negation import NEGATION_DOUBTS

DOUBTS: tuple[Doubt, ...] = (
    *MEANING_DOUBTS,
    *COUNT_DOUBTS,
    *MOMENT_DOUBTS,
    *NEGATION_DOUBTS,
    *MEASURE_DOUBTS,
    *KIND_DOUBTS,
    *LIKELIHOOD_DOUBTS,
)
"""All doubts, in the order of the page that lists them; of those that put plans last, the first ones weigh most."""


def doubts_without(names: Collection[str]) -> tuple[Doubt, ...]:
    """Return the doubts apart from those with these names."""
    return tuple(one for one in DOUBTS if one.name not in names)
