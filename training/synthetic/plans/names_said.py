"""Collect what people call the kinds, properties, and relations of a graph, as its owner wrote it down."""

from collections import defaultdict

from graph.plan.meaning import Meanings
from training.synthetic.plans.own_schema import Descriptions


def names_said(meanings: Meanings) -> Descriptions:
    """Return the further names of elements by their stored names, without those of inverse relationships.

    Example:
        >>> names_said({("relationships", "rpts_to"): Meaning(names=("reports to", "boss"))})
        {'rpts_to': ('reports to', 'boss')}
    """
    found: dict[str, list[str]] = defaultdict(list)
    for address, meaning in meanings.items():
        found[address[-1]] += meaning.names
    return {name: tuple(dict.fromkeys(names)) for name, names in found.items() if names}
