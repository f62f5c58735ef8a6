"""Ask about the node that a first stage finds: `the population of the largest city`."""

from dataclasses import dataclass

from graph.plan.algebra import Order, Property, Slice, SortKey, Step, Variable
from graph.plan.values import ValueType
from training.synthetic.plans.asked import Asked, amount_noun, asked_about, named_slots, plan, returned
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes.listing import choose_kind, choose_property
from training.synthetic.plans.shapes.lookups import count_of, step_slots
from training.synthetic.plans.shapes.ranking import counted, extreme_slots


@dataclass(frozen=True)
class _Best:
    """Hold the stage that finds one node, its variable and kind, the words for it, and the keys that it reads."""

    pattern: Pattern
    steps: tuple[Step, ...]
    variable: str
    kind: str
    text: str
    reads: frozenset[str]


def _best(ask: Describer) -> _Best:
    """Choose the node with the highest or lowest value, or with the most related nodes."""
    if ask.rng.random() < 0.2:
        return _most_related(ask)
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 0, 0, 1)), repeats=False)
    read = pattern.reads(phrase.variable)
    key, words = choose_property(ask, phrase.kind, *NUMBERS, *DATES, without=read)
    descending = rng.random() < 0.65
    slots = extreme_slots(ask, phrase, words, key, descending)
    texts = [f"the {slots['thing']} with the {slots['highest']} {slots['prop']}"]
    if "most" in slots:
        texts += [f"the {phrase.described(False, slots['most'])}"] * 3
    order = Order((SortKey(Property(phrase.variable, key), descending),))
    steps = (pattern.match(), order, Slice(1))
    return _Best(pattern, steps, phrase.variable, phrase.kind, rng.choice(texts), frozenset((*read, key)))


def _most_related(ask: Describer) -> _Best:
    found = counted(ask)
    order = Order((SortKey(Variable("count"), descending=True),))
    slots, thing = found.slots, found.thing
    texts = [f"the {slots['thing']} with the most {slots['others_of']}"] if "others_of" in slots else []
    if "does_link" in slots:
        texts.append(f"the {slots['thing']} {slots['that']} {slots['does_link']} the most {slots['others']}")
    if not texts:
        raise NothingToSayError
    steps = (found.pattern.match(), found.group(), order, Slice(1))
    return _Best(found.pattern, steps, thing.variable, thing.kind, ask.rng.choice(texts), frozenset())


def best_property(ask: Describer) -> Asked:
    """Ask for a property of the best node: `What is the population of the largest city?`."""
    best = _best(ask)
    key, words = choose_property(ask, best.kind, *NUMBERS, *DATES, ValueType.STRING, without=best.reads)
    slots = named_slots("x", best.text) | {"prop": amount_noun(words, ask.properties.noun(words, key))}
    slots |= asked_about(words, best.text, ask.rng)
    return Asked(plan(*best.steps, returned(Property(best.variable, key))), slots)


def best_hop(ask: Describer) -> Asked:
    """Ask for what the best node is related to: `Who leads the largest team?`."""
    best, pattern, variable, slots = _step_from_best(ask)
    return Asked(plan(*best.steps, pattern.match(), returned(Variable(variable))), slots)


def best_hop_count(ask: Describer) -> Asked:
    """Ask how many nodes the best node is related to: `How many members does the largest team have?`."""
    best, pattern, variable, slots = _step_from_best(ask)
    if slots.get("is_role") != "are":
        slots.pop("role_nouns", None)
    return Asked(plan(*best.steps, pattern.match(), count_of(variable)), slots)


def _step_from_best(ask: Describer) -> tuple[_Best, Pattern, str, dict[str, str]]:
    best = _best(ask)
    step = ask.hop(best.kind)
    pattern = best.pattern.next(best.variable)
    phrase = ask.phrase(pattern, step.end, ask.rng.choice((0, 0, 0, 1)), depth=0)
    pattern.follow(best.variable, step, phrase.variable)
    return best, pattern, phrase.variable, step_slots(ask, step, best.text, phrase)
