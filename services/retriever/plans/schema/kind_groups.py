"""Group the entities of a graph without kinds by the steps that can be taken from them."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

_SIMILAR = 0.5  # the least cosine between entities of one kind
_TYPICAL = 0.2  # the least share of the entities of a kind that can take its steps
_MANY = 200  # kinds beyond these join others where they can, since the plan model's time grows with their square


def group_entities(signatures: Sequence[frozenset[str]], literals: Collection[str]) -> list[list[frozenset[str]]]:
    """Group entities that can take similar steps, the largest groups first.

    Args:
        signatures: The steps that can be taken from each entity.
        literals: Relations whose objects are values; entities with no other steps are left out.
    """
    return _without_rare(_without_parts(_similar_groups(signatures, literals)))


def typical_steps(signatures: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the steps that many entities of a group can take."""
    return frozenset(step for step, share in _shares(signatures).items() if share >= _TYPICAL)


def _shares(signatures: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the share of entities from which each step can be taken."""
    counts = Counter(step for found in signatures for step in found)
    return {step: number / len(signatures) for step, number in counts.items()}


@dataclass(slots=True)
class _Group:
    """Hold entities by the steps that can be taken from each, with the average of these."""

    members: list[frozenset[str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    shares: dict[str, float] = field(default_factory=dict)
    length: float = 0.0

    def add(self, found: frozenset[str], number: int, rarity: Mapping[str, float]) -> None:
        """Add several entities from which the same steps can be taken."""
        self.members += [found] * number
        for step in found:
            self.counts[step] += number
        self.shares = {step: count / len(self.members) for step, count in self.counts.items()}
        self.length = math.sqrt(sum((rarity[step] * share) ** 2 for step, share in self.shares.items()))

    def similarity(self, found: frozenset[str], length: float, rarity: Mapping[str, float]) -> float:
        """Return the cosine between a set of steps, of this length, and the average of the group."""
        product = sum(rarity[step] ** 2 * self.shares.get(step, 0.0) for step in found)
        return product / (length * self.length)


def _similar_groups(signatures: Sequence[frozenset[str]], literals: Collection[str]) -> list[list[frozenset[str]]]:
    """Return groups of entities that can take similar steps, the largest first.

    A frequent set of steps begins a group, and each further set joins the group with the most similar average. Steps
    that few entities can take count more, since they say more about what an entity is.
    """
    counts = Counter(signatures)
    rarity = {step: -math.log(share) + 1.0 for step, share in _shares(signatures).items()}
    groups: list[_Group] = []
    with_step: dict[str, set[int]] = defaultdict(set)  # groups that share no step are not similar
    for found in sorted(counts, key=lambda one: (-counts[one], sorted(one))):
        if found <= frozenset(literals):
            continue
        length = math.sqrt(sum(rarity[step] ** 2 for step in found))
        near = set[int]().union(*(with_step[step] for step in found))
        similar = [(groups[place].similarity(found, length, rarity), -place) for place in near]
        best, place = max(similar, default=(0.0, 0))
        if best < _SIMILAR:
            groups.append(_Group())
            place = 1 - len(groups)
        groups[-place].add(found, counts[found], rarity)
        for step in found:
            with_step[step].add(-place)
    return sorted((group.members for group in groups), key=len, reverse=True)


def _without_parts(groups: Sequence[list[frozenset[str]]]) -> list[list[frozenset[str]]]:
    """Let a group whose entities can take only typical steps of a larger group join it."""
    kept: list[list[frozenset[str]]] = []
    typical: list[frozenset[str]] = []
    for group in groups:
        own = typical_steps(group)
        larger = next((place for place, of_larger in enumerate(typical) if own <= of_larger), None)
        if larger is None:
            kept.append(list(group))
            typical.append(own)
        else:
            kept[larger] += group
            typical[larger] = typical_steps(kept[larger])
    return kept


def _without_rare(groups: Sequence[list[frozenset[str]]]) -> list[list[frozenset[str]]]:
    """Let the smallest of many groups join the one with which they share most typical steps.

    Groups that share none stay, so that each relation still connects kinds.
    """
    kept = [list(group) for group in groups[:_MANY]]
    typical = [typical_steps(group) for group in kept]
    for group in groups[_MANY:]:
        own = typical_steps(group)
        shared, place = max((len(own & of_other), -place) for place, of_other in enumerate(typical))
        if shared:
            kept[-place] += group
        else:
            kept.append(list(group))
            typical.append(own)
    return kept
