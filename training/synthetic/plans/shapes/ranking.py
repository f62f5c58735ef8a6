"""Ask for the highest and the lowest: by a property, or by the number of related nodes."""

from dataclasses import dataclass

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    Filter,
    Group,
    Order,
    Property,
    Slice,
    SortKey,
    Variable,
)
from training.synthetic.plans.asked import Asked, amount_noun, named_slots, plan, returned, thing_slots
from training.synthetic.plans.clauses import NounPhrase
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes.listing import choose_category, choose_kind, choose_property
from training.synthetic.plans.words import Hop, PropertyWords, is_count

_COUNT = AggregateFunction.COUNT
_NEWEST = ("newest", "latest", "most recent", "last")
_OLDEST = ("oldest", "earliest", "first", "very first")


def superlative(ask: Describer) -> Asked:
    """Ask for the one node with the highest or lowest value: `Who is the best paid employee?`."""
    return _ranked(ask, Slice(1), {})


def superlative_n(ask: Describer) -> Asked:
    """Ask for several nodes with the highest or lowest values: `the 5 cheapest flats`."""
    number = ask.stater.count()
    return _ranked(ask, Slice(number.value), {"n": number.text})


def second(ask: Describer) -> Asked:
    """Ask for the node that comes second."""
    return _ranked(ask, Slice(1, 1), {"ordinal": ask.rng.choice(("second", "second", "2nd"))})


def _ranked(ask: Describer, rows: Slice, extra: dict[str, str]) -> Asked:
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 0, 1, 1)), repeats=False)
    key, words = choose_property(ask, phrase.kind, *NUMBERS, *DATES, without=pattern.reads(phrase.variable))
    descending = rng.random() < 0.65
    slots = extra | extreme_slots(ask, phrase, words, key, descending)
    if "n" in extra and descending:
        slots["top"] = "top"
    elif "n" in extra:
        slots["top"] = "bottom"
    order = Order((SortKey(Property(phrase.variable, key), descending),))
    return Asked(plan(pattern.match(), order, rows, returned(Variable(phrase.variable))), slots)


def extreme_slots(
    ask: Describer, phrase: NounPhrase, words: PropertyWords, key: str, descending: bool
) -> dict[str, str]:
    """Return the slots that say which node has the highest or lowest value."""
    rng = ask.rng
    is_moment = ask.schema.content(phrase.kind, key) in DATES or words.is_year
    said = ask.properties.noun(words, key)
    counts = is_count(words, said)
    slots = {"things": phrase.text(True), "thing": phrase.text(False), "one_head_all": phrase.text(False)}
    if phrase.is_person:
        slots |= {"people": slots["things"], "person": slots["thing"]}
    else:
        slots["item"] = slots["thing"]
    if is_moment:
        slots["highest"] = rng.choice(("latest", "most recent") if descending else ("earliest", "earliest"))
    elif counts:
        slots["highest"] = "most" if descending else "fewest"
    else:
        slots["highest"] = rng.choice(
            ("highest", "highest", "largest", "greatest") if descending else ("lowest", "lowest", "smallest")
        )
    slots["prop"] = said
    if words.adjectives:
        _, most, _, least = rng.choice(words.adjectives)
        slots["most"] = most if descending else least
    elif is_moment and len(ask.schema.keys(phrase.kind, *DATES)) == 1:
        slots["most"] = rng.choice(_NEWEST if descending else _OLDEST)
    if (owned := phrase.owned()) is not None:
        owner, slots["owned_things"], slots["owned_thing"] = owned
        slots |= named_slots("owner", owner)
    if is_moment and words.events and not counts:
        event = rng.choice(words.events).finite(False)
        when = rng.choice(("last", "most recently", "latest") if descending else ("first", "earliest"))
        slots["event_superlative"] = f"which {slots['thing']} {event} {when}"
    if not counts:
        slots["highest_of"] = slots["highest"]
    return slots


@dataclass(frozen=True)
class Counted:
    """Hold a pattern of things and the other things to count for each of them, with the words for both."""

    pattern: Pattern
    thing: NounPhrase
    other: NounPhrase
    slots: dict[str, str]

    def group(self) -> Group:
        """Count the others of each thing."""
        key = Column(self.thing.variable, Variable(self.thing.variable))
        return Group((key,), (Aggregate("count", _COUNT, Variable(self.other.variable)),))


def counted(ask: Describer) -> Counted:
    """Choose things and what to count for each of them."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 0, 0, 1)), depth=0)
    step = ask.hop(phrase.kind)
    if step.words.target_nouns and not any(noun.is_plural for noun in step.words.target_nouns):
        # Each thing has one of the others, so nobody counts them.
        raise NothingToSayError
    if rng.random() < 0.2 and (further := _further(ask, step)) is not None:
        middle = pattern.node(step.end)
        pattern.follow(phrase.variable, step, middle)
        other = ask.phrase(pattern, further.end, rng.choice((0, 0, 0, 1)), depth=0)
        pattern.follow(middle, further, other.variable)
        slots = {"others": other.text(True), "others_of": other.text(True), "do_link": "have", "does_link": "has"}
        return Counted(pattern, phrase, other, thing_slots(phrase) | slots)
    other = ask.phrase(pattern, step.end, rng.choice((0, 0, 0, 1)), depth=0)
    pattern.follow(phrase.variable, step, other.variable)
    return Counted(pattern, phrase, other, thing_slots(phrase) | counted_slots(ask, step, phrase.is_person, other))


def _further(ask: Describer, step: Hop) -> Hop | None:
    """Choose a second step to what belongs to the first, as continents have airports that are in their cities."""
    steps = [
        one
        for one in ask.schema.hops[step.end]
        if one.end not in (step.start, step.end)
        and not any(direct.end == one.end for direct in ask.schema.hops[step.start])
    ]
    return ask.rng.choice(steps) if steps else None


def counted_slots(ask: Describer, step: Hop, is_person: bool, other: NounPhrase) -> dict[str, str]:
    """Return the words for what is counted, and for the step to it."""
    rng = ask.rng
    slots = {"others": other.text(True)}
    roles = [noun for noun in step.words.target_nouns if noun.is_plural]
    if roles and not other.modifiers:
        slots["others_of"] = rng.choice(roles).plural
    elif sum(one.end == step.end for one in ask.schema.hops[step.start]) == 1:
        slots["others_of"] = other.text(True)
    if step.words.forward:
        verb = rng.choice(step.words.forward)
        slots |= {"do_link": verb.finite(True), "does_link": verb.finite(False)}
    if is_person:
        slots["Who"] = "who"
    return slots


def most_related(ask: Describer) -> Asked:
    """Ask for the thing with the most related things: `Which author wrote the most books?`."""
    found = counted(ask)
    order = Order((SortKey(Variable("count"), descending=True),))
    slots = found.slots | {"greatest": ask.rng.choice(("highest", "largest", "greatest"))}
    return Asked(plan(found.pattern.match(), found.group(), order, Slice(1)), _one_person(slots, found))


def most_related_n(ask: Describer) -> Asked:
    """Ask for several things with the most related things."""
    found, number = counted(ask), ask.stater.count()
    order = Order((SortKey(Variable("count"), descending=True),))
    slots = found.slots | {"greatest": ask.rng.choice(("highest", "largest", "greatest")), "n": number.text}
    return Asked(plan(found.pattern.match(), found.group(), order, Slice(number.value)), slots)


def fewest_related(ask: Describer) -> Asked:
    """Ask for the thing with the fewest related things, of those that have any."""
    found = counted(ask)
    order = Order((SortKey(Variable("count")),))
    slots = found.slots | {"smallest": ask.rng.choice(("lowest", "smallest"))}
    return Asked(plan(found.pattern.match(), found.group(), order, Slice(1)), _one_person(slots, found))


def _one_person(slots: dict[str, str], found: Counted) -> dict[str, str]:
    """Ask `who` only if nothing else describes the people."""
    return {name: text for name, text in slots.items() if name != "Who" or not found.thing.modifiers}


def having(ask: Describer) -> Asked:
    """Ask for things with some number of related things: `directors of more than 3 films`."""
    found = counted(ask)
    condition, slots = _count_condition(ask, found)
    return Asked(plan(found.pattern.match(), found.group(), condition), _one_person(slots, found))


def having_count(ask: Describer) -> Asked:
    """Ask how many things have some number of related things."""
    found = counted(ask)
    condition, slots = _count_condition(ask, found)
    total = Group((), (Aggregate("total", _COUNT, Variable(found.thing.variable)),))
    return Asked(plan(found.pattern.match(), found.group(), condition, total), slots)


def _count_condition(ask: Describer, found: Counted) -> tuple[Filter, dict[str, str]]:
    operator, number, amount = ask.properties.compared_count()
    words = {">": "greater than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly", "!=": "not"}
    slots = found.slots | {"cmp": amount, "cmp_number": f"{words[operator]} {number.text}"}
    return Filter(Comparison(operator, Variable("count"), Constant(number.value))), slots


def most_common(ask: Describer) -> Asked:
    """Ask for the most common value of a property."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 0, 1)), repeats=False)
    key, words = choose_category(ask, phrase.kind, pattern.reads(phrase.variable))
    group = Group(
        (Column(key, Property(phrase.variable, key)),), (Aggregate("count", _COUNT, Variable(phrase.variable)),)
    )
    order = Order((SortKey(Variable("count"), descending=True),))
    slots = thing_slots(phrase) | {"prop": amount_noun(words, words.nouns[0].singular)}
    return Asked(plan(pattern.match(), group, order, Slice(1)), slots)


def having_value(ask: Describer) -> Asked:
    """Ask for the values of a property that some number of nodes have."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 0, 1)), repeats=False)
    key, words = choose_category(ask, phrase.kind, pattern.reads(phrase.variable))
    operator, number, amount = ask.properties.compared_count()
    group = Group(
        (Column(key, Property(phrase.variable, key)),), (Aggregate("count", _COUNT, Variable(phrase.variable)),)
    )
    condition = Filter(Comparison(operator, Variable("count"), Constant(number.value)))
    slots = thing_slots(phrase) | {"groups": ask.rng.choice(words.nouns).plural, "cmp": amount}
    return Asked(plan(pattern.match(), group, condition), slots)
