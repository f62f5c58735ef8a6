"""Ask for lists: nodes, their properties, and their first ones in some order."""

from collections.abc import Collection

from graph.plan.algebra import (
    Call,
    Comparison,
    Constant,
    Function,
    Order,
    Property,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.values import ValueType
from training.synthetic.plans.asked import Asked, listed, plan, returned, thing_slots
from training.synthetic.plans.clauses import NounPhrase
from training.synthetic.plans.condition_maker import DATES, NUMBERS, name_words
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.words import PropertyWords


def choose_kind(ask: Describer) -> str:
    """Choose a kind that questions can be about; kinds with more relationships come more often."""
    kinds = [kind for kind, words in ask.schema.kinds.items() if words.nouns]
    if not kinds:
        raise NothingToSayError
    weights = [1 + min(4, len(ask.schema.hops[kind])) for kind in kinds]
    return ask.rng.choices(kinds, weights)[0]


def choose_property(
    ask: Describer, kind: str, *types: ValueType, without: Collection[str] = ()
) -> tuple[str, PropertyWords]:
    """Choose a property of a kind with one of the types, apart from those that conditions read already."""
    keys = [key for key in ask.schema.keys(kind, *types) if key not in without]
    if not keys:
        raise NothingToSayError
    key = ask.rng.choice(keys)
    return key, ask.schema.properties[kind, key]


def choose_category(ask: Describer, kind: str, without: Collection[str]) -> tuple[str, PropertyWords]:
    """Choose a property that many nodes share the values of."""
    keys = [key for key in ask.schema.keys(kind, ValueType.STRING) if key not in without]
    few = [key for key in keys if ask.schema.is_category(kind, key)]
    if not few:
        raise NothingToSayError
    key = ask.rng.choice(few)
    return key, ask.schema.properties[kind, key]


def listing(ask: Describer) -> Asked:
    """Ask for nodes: `Which employees work for Acme?`."""
    pattern = Pattern()
    phrase = ask.phrase(
        pattern, choose_kind(ask), ask.rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3)), ask.rng.choice((1, 1, 2, 3))
    )
    wanted = returned(Variable(phrase.variable), distinct=pattern.repeats)
    return Asked(plan(pattern.match(), wanted), thing_slots(phrase))


def but_not(ask: Describer) -> Asked:
    """Ask for nodes with something, and without something else: `Which countries in Asia do not border China?`."""
    pattern, phrase = described_but_not(ask)
    wanted = returned(Variable(phrase.variable), distinct=pattern.repeats)
    return Asked(plan(pattern.match(), wanted), thing_slots(phrase))


def described_but_not(ask: Describer) -> tuple[Pattern, NounPhrase]:
    """Describe nodes by what they have, and by what they do not have."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), 1, 1, repeats=False)
    if not phrase.modifiers:
        raise NothingToSayError
    phrase.modifiers.append(ask.negated(pattern, phrase))
    return pattern, phrase


def first(ask: Describer) -> Asked:
    """Ask for some nodes: `List the first 5 products with a price over 20`."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 1, 1, 2)), repeats=False)
    number = ask.stater.count()
    slots = thing_slots(phrase) | {"n": number.text}
    return Asked(plan(pattern.match(), Slice(number.value), returned(Variable(phrase.variable))), slots)


def in_order(ask: Describer, with_limit: bool) -> Asked:
    """Ask for nodes in an order, and with a limit for the first of them."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 1, 1)), repeats=False)
    name = ask.schema.name_property(phrase.kind)
    number = ask.stater.count()
    slots = thing_slots(phrase) | ({"n": number.text} if with_limit else {})
    if name is not None and rng.random() < 0.15:
        key, descending = name, rng.random() < 0.2
        slots["alphabetically"] = (
            "in reverse alphabetical order" if descending else rng.choice(("in alphabetical order", "alphabetically"))
        )
    else:
        key, words = choose_property(ask, phrase.kind, *NUMBERS, *DATES, without=pattern.reads(phrase.variable))
        descending = rng.random() < 0.6
        slots |= _order_slots(
            ask, words, key, descending, ask.schema.content(phrase.kind, key) in DATES or words.is_year
        )
    order = Order((SortKey(Property(phrase.variable, key), descending),))
    limit = Slice(number.value) if with_limit else None
    return Asked(plan(pattern.match(), order, limit, returned(Variable(phrase.variable))), slots)


def ordered(ask: Describer) -> Asked:
    """Ask for all nodes in an order."""
    return in_order(ask, with_limit=False)


def first_ordered(ask: Describer) -> Asked:
    """Ask for the first nodes in an order."""
    return in_order(ask, with_limit=True)


def _order_slots(ask: Describer, words: PropertyWords, key: str, descending: bool, is_moment: bool) -> dict[str, str]:
    rng = ask.rng
    slots = {"prop": ask.properties.noun(words, key), "ascending": "descending" if descending else "ascending"}
    if rng.random() < 0.3:
        slots["ascending"] = "decreasing" if descending else "increasing"
    if is_moment:
        slots["high_first"] = rng.choice(("newest", "latest") if descending else ("oldest", "earliest"))
    else:
        slots["high_first"] = rng.choice(("highest", "largest") if descending else ("lowest", "smallest"))
    if words.adjectives:
        _, most, _, least = rng.choice(words.adjectives)
        slots |= {"most": most, "least": least} if descending else {"most": least, "least": most}
    return slots


def columns(ask: Describer) -> Asked:
    """Ask for properties of nodes: `Show the names and prices of all open orders`."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.phrase(pattern, choose_kind(ask), rng.choice((0, 1, 1, 2)))
    keys = ask.schema.keys(phrase.kind, *NUMBERS, *DATES, ValueType.STRING, ValueType.BOOLEAN, ValueType.LIST)
    keys = [key for key in keys if ask.schema.content(phrase.kind, key) is not ValueType.BOOLEAN]
    if not keys:
        raise NothingToSayError
    chosen = rng.sample(keys, min(len(keys), rng.choice((1, 1, 2, 2, 3))))
    nouns, values = [], []
    if ask.schema.name_property(phrase.kind) is not None and rng.random() < 0.6:
        nouns, values = [rng.choice(("name", "names"))], [Variable(phrase.variable)]
    is_many = rng.random() < 0.5
    for key in chosen:
        words = ask.schema.properties[phrase.kind, key]
        noun = rng.choice(words.nouns)
        nouns.append(noun.form(is_many or noun.is_plural))
    wanted = returned(*values, *(Property(phrase.variable, key) for key in chosen), distinct=pattern.repeats)
    return Asked(plan(pattern.match(), wanted), thing_slots(phrase) | {"props": listed(nouns, rng)})


def distinct(ask: Describer) -> Asked:
    """Ask for the different values of a property."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 0, 1)))
    key, words = choose_category(ask, phrase.kind, pattern.reads(phrase.variable))
    slots = thing_slots(phrase) | {"values": ask.rng.choice(words.nouns).plural}
    return Asked(plan(pattern.match(), returned(Property(phrase.variable, key), distinct=True)), slots)


def _text_key(ask: Describer, kind: str) -> tuple[str, str]:
    name = ask.schema.name_property(kind)
    if name is not None and ask.schema.content(kind, name) is not ValueType.STRING:
        name = None
    keys = ask.schema.keys(kind, ValueType.STRING)
    key = ask.rng.choice([*keys, *([name] if name else [])] or [""])
    if not key:
        raise NothingToSayError
    words = ask.schema.properties.get((kind, key)) or name_words()
    return key, ask.properties.noun(words, key)


def length(ask: Describer) -> Asked:
    """Ask for nodes whose text has more than a number of characters."""
    pattern = Pattern()
    phrase = ask.plain(pattern, choose_kind(ask))
    key, said = _text_key(ask, phrase.kind)
    number = ask.stater.count()
    pattern.require(Comparison(">", Call(Function.SIZE, (Property(phrase.variable, key),)), Constant(number.value)))
    slots = thing_slots(phrase) | {"prop": said, "n": number.text}
    return Asked(plan(pattern.match(), returned(Variable(phrase.variable))), slots)


def longest_text(ask: Describer) -> Asked:
    """Ask for the node with the longest text."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 1)), depth=0)
    key, said = _text_key(ask, phrase.kind)
    order = Order((SortKey(Call(Function.SIZE, (Property(phrase.variable, key),)), descending=True),))
    slots = thing_slots(phrase) | {"prop": said}
    return Asked(plan(pattern.match(), order, Slice(1), returned(Variable(phrase.variable))), slots)
