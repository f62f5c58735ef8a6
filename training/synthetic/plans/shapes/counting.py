"""Ask for numbers: counts, sums, averages, and whether there is anything at all."""

import re

from graph.plan.algebra import Aggregate, AggregateFunction, Group, Property, Variable
from graph.plan.values import ValueType
from training.synthetic.plans.asked import Asked, amount_noun, plan, thing_slots
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes.listing import choose_kind, choose_property, described_but_not
from training.synthetic.plans.words import PropertyWords

_COUNT = AggregateFunction.COUNT
_NAMES = {
    AggregateFunction.AVERAGE: ("average", "average", "mean", "typical"),
    AggregateFunction.SUM: ("total", "total", "combined", "overall"),
    AggregateFunction.MIN: ("lowest", "minimum", "smallest", "min"),
    AggregateFunction.MAX: ("highest", "maximum", "largest", "max"),
}
_DATE_NAMES = {AggregateFunction.MIN: ("earliest", "first"), AggregateFunction.MAX: ("latest", "most recent", "last")}
_FIRST = {
    AggregateFunction.MIN: ("first", "very first", "earliest", "oldest"),
    AggregateFunction.MAX: ("last", "latest", "most recent", "newest"),
}
_ENDINGS = {
    AggregateFunction.AVERAGE: ("on average", "on average", "typically"),
    AggregateFunction.SUM: ("in total", "in total", "altogether", "all together", "combined", "in all"),
}
_SUMMED_UNITS = {"money", "minutes", "km", "kg", "days", "units", "hours", "square metres", "square km", "GB"}
_SUMMED = {
    "population",
    "capacity",
    "quantity",
    "size",
    "damage",
    "income",
    "amount",
    "commission",
    "deposit",
    "reading",
}


def count(ask: Describer) -> Asked:
    """Ask for the number of nodes; a pattern that repeats a node needs a count of distinct nodes."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 1, 1, 1, 2)), ask.rng.choice((1, 1, 2)))
    counted = Variable(phrase.variable)
    aggregate = Aggregate("count", _COUNT, counted, distinct=pattern.repeats)
    return Asked(plan(pattern.match(), Group((), (aggregate,))), thing_slots(phrase))


def count_but_not(ask: Describer) -> Asked:
    """Ask for the number of nodes with something, and without something else."""
    pattern, phrase = described_but_not(ask)
    aggregate = Aggregate("count", _COUNT, Variable(phrase.variable), distinct=pattern.repeats)
    return Asked(plan(pattern.match(), Group((), (aggregate,))), thing_slots(phrase))


def count_distinct(ask: Describer) -> Asked:
    """Ask for the number of different values of a property."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 1)))
    key, words = choose_property(ask, phrase.kind, ValueType.STRING, without=pattern.reads(phrase.variable))
    aggregate = Aggregate("count", _COUNT, Property(phrase.variable, key), distinct=True)
    slots = thing_slots(phrase) | {"values": ask.rng.choice(words.nouns).plural}
    return Asked(plan(pattern.match(), Group((), (aggregate,))), slots)


def exists(ask: Describer) -> Asked:
    """Ask whether there are such nodes; the plan counts the matches, so that 0 means no."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((1, 1, 1, 2)))
    if not phrase.modifiers:
        raise NothingToSayError
    aggregate = Aggregate("count", _COUNT)
    return Asked(plan(pattern.match(), Group((), (aggregate,))), thing_slots(phrase))


def aggregate_of(ask: Describer) -> Asked:
    """Ask for the sum, the average, the lowest, or the highest value of a property."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 1, 1, 2)), repeats=False)
    key, words = choose_property(
        ask, phrase.kind, *NUMBERS, *(DATES if rng.random() < 0.25 else ()), without=pattern.reads(phrase.variable)
    )
    content = ask.schema.content(phrase.kind, key)
    function = choose_function(ask, words, content)
    slots = thing_slots(phrase)
    slots |= {
        "function": function_name(ask, function, words, content),
        "prop": amount_noun(words, ask.properties.noun(words, key)),
    }
    if found := _function_ask(ask, function, words, slots["things"]):
        slots["function_ask"] = found
    if content in DATES and ask.schema.keys(phrase.kind, *DATES) == [key]:
        slots["first_thing"] = f"{rng.choice(_FIRST[function])} {slots['thing']}"
    aggregate = Aggregate(f"{function}_{key}", function, Property(phrase.variable, key))
    return Asked(plan(pattern.match(), Group((), (aggregate,))), slots)


def aggregates_of(ask: Describer) -> Asked:
    """Ask for two or three statistics of a property."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 1)), repeats=False)
    key, words = choose_property(ask, phrase.kind, *NUMBERS, without=pattern.reads(phrase.variable))
    wanted = rng.choice(
        (("min", "max"), ("min", "max"), ("average", "max"), ("min", "average", "max"), ("average", "min"))
    )
    functions = [AggregateFunction(name) for name in wanted]
    names = [rng.choice(_NAMES[function]) for function in functions]
    joined = f"{', '.join(names[:-1])} and {names[-1]}"
    found = tuple(Aggregate(f"{one}_{key}", one, Property(phrase.variable, key)) for one in functions)
    slots = thing_slots(phrase) | {"functions": joined, "prop": amount_noun(words, ask.properties.noun(words, key))}
    return Asked(plan(pattern.match(), Group((), found)), slots)


def choose_function(ask: Describer, words: PropertyWords, content: ValueType | None) -> AggregateFunction:
    """Choose a function that makes sense for a property: nobody adds up ages."""
    options = [AggregateFunction.MIN, AggregateFunction.MAX]
    if content in NUMBERS and not words.is_year:
        options += [AggregateFunction.AVERAGE] * 3
        name = words.nouns[0]
        if (
            words.unit in _SUMMED_UNITS
            or (name.is_plural and name.plural != "stars")
            or name.singular.split()[-1] in _SUMMED
        ):
            options += [AggregateFunction.SUM] * 2
    return ask.rng.choice(options)


def function_name(ask: Describer, function: AggregateFunction, words: PropertyWords, content: ValueType | None) -> str:
    """Return a word for a function."""
    is_moment = content in DATES or words.is_year
    return ask.rng.choice(_DATE_NAMES[function] if is_moment else _NAMES[function])


def _function_ask(ask: Describer, function: AggregateFunction, words: PropertyWords, things: str) -> str | None:
    """Turn a question about one node into a question about the average or the sum over many."""
    asks = [
        wording
        for wording in words.asks
        if wording.startswith(("how much", "how many", "how old", "how long", "how big", "how tall", "how heavy"))
    ]
    if function not in _ENDINGS:
        return None
    ending = ask.rng.choice(_ENDINGS[function])
    verbs = [verb for verb in words.verbs if verb.base]
    if verbs and (not asks or ask.rng.random() < 0.4):
        verb = ask.rng.choice(verbs)
        return f"{ask.rng.choice(('what', 'how much'))} {verb.inverted(things, True)} {ending}"
    if not asks:
        return None
    wording = ask.rng.choice(asks)
    if function is AggregateFunction.SUM and not wording.startswith(("how much", "how many")):
        return None
    for one, many in (
        (" is {x}", " are {x}"),
        (" does {x} ", " do {x} "),
        (" did {x} ", " did {x} "),
        (" was {x}", " were {x}"),
    ):
        if one in wording:
            changed = wording.replace(one, many)
            if re.search(r"\{x\}'|in \{x\}", changed):
                return None
            return f"{changed.replace('{x}', things)} {ending}"
    return None
