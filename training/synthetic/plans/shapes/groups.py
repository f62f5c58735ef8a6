"""Ask for a number per group: average salary per department."""

from dataclasses import dataclass

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Comparison,
    Constant,
    Expression,
    Filter,
    Function,
    Group,
    Order,
    Property,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.values import ValueType
from training.synthetic.plans.asked import Asked, amount_noun, plan
from training.synthetic.plans.clauses import NounPhrase
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.nouns import Noun, with_article
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes.counting import choose_function, function_name
from training.synthetic.plans.shapes.listing import choose_kind, choose_property

_PER = ("per", "per", "by", "for each", "for every", "in each")


@dataclass(frozen=True)
class _Grouped:
    pattern: Pattern
    thing: NounPhrase
    keys: tuple[Column, ...]
    slots: dict[str, str]


def _grouped(ask: Describer, modifiers: int) -> _Grouped:
    """Choose things, and a property or related things to group them by."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), modifiers, repeats=False)
    steps = [
        step
        for step in ask.schema.hops[phrase.kind]
        if step.words.target_nouns and not step.words.target_nouns[0].is_plural and step.end != phrase.kind
    ]
    categories = [
        key for key in ask.schema.keys(phrase.kind, ValueType.STRING) if len(ask.schema.values[phrase.kind, key]) <= 15
    ]
    moments = ask.schema.keys(phrase.kind, *DATES)
    if moments and rng.random() < 0.15:
        noun: Noun = Noun("year", "years")
        name = rng.choice(moments)
        value: Expression = Call(Function.YEAR, (Property(phrase.variable, name),))
    elif steps and (not categories or rng.random() < 0.65):
        step = rng.choice(steps)
        other = ask.plain(pattern, step.end)
        pattern.follow(phrase.variable, step, other.variable)
        nouns = [
            *step.words.target_nouns,
            *([other.noun] * 2 if sum(one.end == step.end for one in ask.schema.hops[phrase.kind]) == 1 else []),
        ]
        noun = rng.choice(nouns)
        value = Variable(other.variable)
        name = other.variable
    elif categories:
        name = rng.choice(categories)
        noun = rng.choice(ask.schema.properties[phrase.kind, name].nouns)
        value = Property(phrase.variable, name)
    else:
        raise NothingToSayError
    per = rng.choice(_PER if isinstance(value, Variable) else _PER[:5])
    slots = {
        "group": noun.singular,
        "groups": noun.plural,
        "per_group": f"{per} {noun.singular}",
        "things": phrase.text(True),
    }
    return _Grouped(pattern, phrase, (Column(name, value),), slots)


def count_per_group(ask: Describer) -> Asked:
    """Ask for the number of things per group."""
    found = _grouped(ask, ask.rng.choice((0, 0, 1)))
    aggregate = Aggregate("count", AggregateFunction.COUNT, Variable(found.thing.variable))
    return Asked(plan(found.pattern.match(), Group(found.keys, (aggregate,))), found.slots)


def _measured(ask: Describer, modifiers: int) -> tuple[_Grouped, Aggregate, dict[str, str], str]:
    """Choose a statistic per group; return the groups, the statistic, the words, and the property."""
    found = _grouped(ask, modifiers)
    key, words = choose_property(ask, found.thing.kind, *NUMBERS, without=found.pattern.reads(found.thing.variable))
    content = ask.schema.content(found.thing.kind, key)
    function = choose_function(ask, words, content)
    said = amount_noun(words, ask.properties.noun(words, key))
    measure = f"{function_name(ask, function, words, content)} {said}"
    if found.thing.modifiers or ask.rng.random() < 0.75:
        measure += f" {ask.rng.choice(('of', 'of', 'for'))} {found.slots['things']}"
    aggregate = Aggregate(f"{function}_{key}", function, Property(found.thing.variable, key))
    return found, aggregate, found.slots | {"measure": measure, "a_measure": with_article(measure)}, key


def per_group(ask: Describer) -> Asked:
    """Ask for a statistic of each group."""
    found, aggregate, slots, _ = _measured(ask, ask.rng.choice((0, 0, 1)))
    return Asked(plan(found.pattern.match(), Group(found.keys, (aggregate,))), slots)


def best_measure(ask: Describer) -> Asked:
    """Ask for the group with the highest or lowest statistic."""
    found, aggregate, slots, _ = _measured(ask, 0)
    if aggregate.function not in (AggregateFunction.AVERAGE, AggregateFunction.SUM):
        raise NothingToSayError
    descending = ask.rng.random() < 0.7
    slots["highest"] = ask.rng.choice(("highest", "largest") if descending else ("lowest", "smallest"))
    if descending:
        slots["only_high"] = ""
    order = Order((SortKey(Variable(aggregate.name), descending),))
    return Asked(plan(found.pattern.match(), Group(found.keys, (aggregate,)), order, Slice(1)), slots)


def having_measure(ask: Describer) -> Asked:
    """Ask for the groups whose statistic is above or below a number."""
    found, aggregate, slots, key = _measured(ask, 0)
    words = ask.schema.properties[found.thing.kind, key]
    content = ask.schema.content(found.thing.kind, key)
    if aggregate.function is not AggregateFunction.AVERAGE or words.is_year:
        raise NothingToSayError
    value = ask.stater.number(found.thing.kind, key, words, content).value
    operator, text = ask.properties.compared_measure(value, words)
    condition = Filter(Comparison(operator, Variable(aggregate.name), Constant(value)))
    return Asked(plan(found.pattern.match(), Group(found.keys, (aggregate,)), condition), slots | {"cmp_value": text})
