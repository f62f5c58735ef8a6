"""Ask for comparisons: of two nodes, of nodes with another one, and of nodes with the average."""

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Column,
    Comparison,
    Constant,
    Group,
    ListOf,
    Order,
    Property,
    Slice,
    SortKey,
    Variable,
)
from training.synthetic.plans.asked import Asked, amount_noun, named_slots, plan, returned, thing_slots
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.nouns import with_article
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes.listing import choose_kind, choose_property
from training.synthetic.plans.shapes.ranking import counted_slots
from training.synthetic.plans.words import PropertyWords


def _two(ask: Describer, or_three: bool = False) -> tuple[Pattern, str, str, dict[str, str]]:
    """Add a node with one of two names, or of three; return the pattern, the variable, the kind, and the words."""
    pattern, kind = Pattern(), choose_kind(ask)
    key = ask.schema.name_property(kind)
    found = [value for value in ask.schema.values[kind, key] if isinstance(value, str)] if key else []
    if key is None or len(found) < 2:
        raise NothingToSayError
    names = ask.rng.sample(found, 3 if or_three and len(found) > 2 and ask.rng.random() < 0.35 else 2)
    phrase = ask.plain(pattern, kind)
    pattern.require(Comparison("in", Property(phrase.variable, key), ListOf(tuple(map(Constant, names)))))
    *others, last = map(ask.stater.quoted, names)
    slots = {"x": ", ".join(others), "y": last, "thing": phrase.text(False)}
    if len(others) > 1:
        slots["these"] = ask.rng.choice(("these", "these three", "the three", f"these {phrase.text(True)}"))
    if phrase.is_person:
        slots |= {"x_p": slots["x"], "y_p": slots["y"]}
    return pattern, phrase.variable, kind, slots


def compare(ask: Describer) -> Asked:
    """Ask which of two nodes has more of something: `Who is older, Ann or Ben?`."""
    pattern, variable, kind, slots = _two(ask, or_three=True)
    rng = ask.rng
    key, words = choose_property(ask, kind, *NUMBERS, *DATES)
    descending = rng.random() < 0.65
    is_moment = ask.schema.content(kind, key) in DATES or words.is_year
    if words.adjectives:
        more, most, less, least = rng.choice(words.adjectives)
        slots["more"] = more if descending else less
        slots["most"] = most if descending else least
    slots["prop"] = amount_noun(words, ask.properties.noun(words, key))
    if is_moment:
        slots["higher"], slots["highest"] = ("later", "latest") if descending else ("earlier", "earliest")
    else:
        pairs = (("higher", "highest"), ("larger", "largest")), (("lower", "lowest"), ("smaller", "smallest"))
        slots["higher"], slots["highest"] = rng.choice(pairs[not descending])
    order = Order((SortKey(Property(variable, key), descending),))
    return Asked(plan(pattern.match(), order, Slice(1), returned(Variable(variable))), slots)


def compare_values(ask: Describer) -> Asked:
    """Ask for a property of two nodes."""
    pattern, variable, kind, slots = _two(ask)
    key, words = choose_property(ask, kind, *NUMBERS, *DATES)
    slots |= {"prop": ask.properties.noun(words, key), "plural_prop": ask.rng.choice(words.nouns).plural}
    return Asked(plan(pattern.match(), returned(Variable(variable), Property(variable, key))), slots)


def compare_related(ask: Describer) -> Asked:
    """Ask which of two nodes has more related nodes: `Which has more airports, Peru or Chile?`."""
    pattern, variable, kind, slots = _two(ask)
    step = ask.hop(kind)
    if step.words.target_nouns and not any(noun.is_plural for noun in step.words.target_nouns):
        raise NothingToSayError
    other = ask.phrase(pattern, step.end, ask.rng.choice((0, 0, 0, 1)), depth=0)
    pattern.follow(variable, step, other.variable)
    descending = ask.rng.random() < 0.8
    slots |= counted_slots(ask, step, ask.schema.kinds[kind].is_person, other)
    slots |= {"more": "more", "most": "most"} if descending else {"more": "fewer", "most": "fewest"}
    group = Group(
        (Column(variable, Variable(variable)),),
        (Aggregate("count", AggregateFunction.COUNT, Variable(other.variable)),),
    )
    order = Order((SortKey(Variable("count"), descending),))
    return Asked(plan(pattern.match(), group, order, Slice(1)), slots)


def _pair(ask: Describer) -> tuple[Pattern, str, str, str, dict[str, str]]:
    """Add two nodes of a kind with names; return the pattern, the variables, the kind, and the words."""
    pattern, kind = Pattern(), choose_kind(ask)
    first, text = ask.named(pattern, kind)
    second, other = ask.named(pattern, kind)
    if text == other:
        raise NothingToSayError
    return pattern, first, second, kind, named_slots("x", text) | named_slots("y", other)


def _comparative_slots(ask: Describer, kind: str, key: str, words: PropertyWords, is_more: bool) -> dict[str, str]:
    is_moment = ask.schema.content(kind, key) in DATES or words.is_year
    prop = amount_noun(words, ask.properties.noun(words, key))
    higher = ask.rng.choice(("higher", "larger", "bigger") if is_more else ("lower", "smaller"))
    slots = {"prop": prop, "higher": ("later" if is_more else "earlier") if is_moment else higher}
    if words.adjectives:
        more, _, less, _ = ask.rng.choice(words.adjectives)
        slots["more"] = more if is_more else less
    return slots | {"a_higher": with_article(slots["higher"])}


def is_more(ask: Describer) -> Asked:
    """Ask whether a node has more of something than another one: `Is Ann older than Ben?`."""
    pattern, first, second, kind, slots = _pair(ask)
    key, words = choose_property(ask, kind, *NUMBERS, *DATES)
    more = ask.rng.random() < 0.65
    pattern.require(Comparison(">" if more else "<", Property(first, key), Property(second, key)))
    count = Group((), (Aggregate("count", AggregateFunction.COUNT),))
    return Asked(plan(pattern.match(), count), slots | _comparative_slots(ask, kind, key, words, more))


def than_named(ask: Describer) -> Asked:
    """Ask for the nodes with more of something than a node with a name: `Which cities are larger than Lima?`."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 0, 1)), repeats=False)
    other, text = ask.named(pattern, phrase.kind)
    key, words = choose_property(ask, phrase.kind, *NUMBERS, *DATES, without=pattern.reads(phrase.variable))
    more = ask.rng.random() < 0.65
    pattern.require(Comparison(">" if more else "<", Property(phrase.variable, key), Property(other, key)))
    slots = thing_slots(phrase) | named_slots("y", text) | _comparative_slots(ask, phrase.kind, key, words, more)
    wanted, count = returned(Variable(phrase.variable)), Aggregate("count", AggregateFunction.COUNT)
    if ask.rng.random() < 0.2:
        slots = {name: found for name, found in slots.items() if name != "thing"} | {"how_many": "how many"}
        return Asked(plan(pattern.match(), Group((), (count,))), slots)
    return Asked(plan(pattern.match(), wanted), slots | {"which": ask.rng.choice(("which", "what"))})


def difference(ask: Describer) -> Asked:
    """Ask by how much the values of two nodes differ."""
    pattern, first, second, kind, slots = _pair(ask)
    key, words = choose_property(ask, kind, *NUMBERS)
    value = Arithmetic("-", Property(first, key), Property(second, key))
    slots |= _comparative_slots(ask, kind, key, words, is_more=True)
    return Asked(plan(pattern.match(), returned(value)), slots)


def shared(ask: Describer) -> Asked:
    """Ask for what two nodes are both related to: `Which languages are spoken in both Peru and Chile?`."""
    pattern, variable, other, slots = _shared(ask)
    return Asked(plan(pattern.match(), returned(Variable(variable), distinct=True)), slots | {"others": other})


def shared_yes_no(ask: Describer) -> Asked:
    """Ask whether two nodes are related to the same node: `Do Ann and Ben work in the same team?`."""
    pattern, _, _, slots = _shared(ask)
    count = Group((), (Aggregate("count", AggregateFunction.COUNT),))
    return Asked(plan(pattern.match(), count), slots)


def both_yes_no(ask: Describer) -> Asked:
    """Ask whether two nodes are both related to a third one: `Are Ann and Ben both in Sales?`."""
    pattern, first, second, kind, slots = _pair(ask)
    step = ask.hop(kind)
    other, text = ask.named(pattern, step.end)
    for one in (first, second):
        pattern.follow(one, step, other)
    if not step.words.forward:
        raise NothingToSayError
    verb = ask.rng.choice(step.words.forward)
    both = f"{slots['x']} and {slots['y']}"
    said = {
        "z": text,
        "inverted_both": f"{verb.inverted(f'{both} both', True)} {text}",
        "inverted_pair": f"{verb.inverted(f'both {both}', True)} {text}",
        "both_do": f"{both} both {verb.finite(True)} {text}",
    }
    count = Group((), (Aggregate("count", AggregateFunction.COUNT),))
    return Asked(plan(pattern.match(), count), said)


def _shared(ask: Describer) -> tuple[Pattern, str, str, dict[str, str]]:
    pattern, first, second, kind, slots = _pair(ask)
    step, rng = ask.hop(kind), ask.rng
    other = ask.plain(pattern, step.end)
    for one in (first, second):
        pattern.follow(one, step, other.variable)
    slots |= {"other": other.text(False)}
    if verbs := [verb for verb in step.words.forward if verb.base and verb.base != "have"]:
        verb = rng.choice(verbs)
        slots |= {
            "base": f"{verb.base} {verb.rest}".strip(),
            "link": verb.finite(True),
            "do_both": verb.inverted("both \ue004", True),
        }
        slots["do_both"] = slots["do_both"].replace("\ue004", f"{slots['x']} and {slots['y']}")
    if states := [verb for verb in step.words.forward if not verb.base]:
        verb = rng.choice(states)
        slots |= {"be": verb.plural, "rest": verb.rest}
    if step.words.backward:
        slots["are_linked"] = rng.choice(step.words.backward).finite(True)
    if step.words.target_nouns:
        noun = rng.choice(step.words.target_nouns)
        slots |= {"others_of": noun.plural, "other_noun": noun.singular}
    return pattern, other.variable, other.text(True), slots


def above_average(ask: Describer) -> Asked:
    """Ask for the nodes above or below the average; a first stage computes the average."""
    rng = ask.rng
    everything, pattern = Pattern(), Pattern()
    phrase = ask.plain(everything, choose_kind(ask))
    key, words = choose_property(ask, phrase.kind, *NUMBERS)
    if words.is_year:
        raise NothingToSayError
    pattern.node(phrase.kind)
    pattern.nodes.clear()
    other = pattern.node(phrase.kind)
    is_above = rng.random() < 0.7
    pattern.require(Comparison(">" if is_above else "<", Property(other, key), Variable("average")))
    said = amount_noun(words, ask.properties.noun(words, key))
    above = rng.choice(
        ("above", "above", "higher than", "over") if is_above else ("below", "below", "lower than", "under")
    )
    adjective = rng.choice(("above-average", "above average") if is_above else ("below-average", "below average"))
    slots = thing_slots(phrase) | {
        "prop": said,
        "a_prop": with_article(said),
        "above": above,
        "an_above_average": with_article(adjective),
    }
    if words.adjectives:
        more, _, less, _ = rng.choice(words.adjectives)
        slots["more"] = more if is_above else less
    average = Group((), (Aggregate("average", AggregateFunction.AVERAGE, Property(phrase.variable, key)),))
    return Asked(plan(everything.match(), average, pattern.match(), returned(Variable(other))), slots)
