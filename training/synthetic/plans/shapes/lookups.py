"""Ask about what a question names: its properties, and what it is related to."""

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Comparison,
    Constant,
    Expression,
    Group,
    Order,
    Property,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.values import ValueType
from training.synthetic.plans.asked import (
    Asked,
    amount_noun,
    asked_about,
    listed,
    named_slots,
    plan,
    returned,
    thing_slots,
)
from training.synthetic.plans.clauses import NounPhrase
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.nouns import with_article
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.relation_conditions import Describer
from training.synthetic.plans.shapes.listing import choose_kind, choose_property
from training.synthetic.plans.words import Hop, PropertyWords

_VALUES = (*NUMBERS, *DATES, ValueType.STRING, ValueType.LIST)


def property_of(ask: Describer) -> Asked:
    """Ask for a property: `How old is Ann?`."""
    pattern, kind = Pattern(), choose_kind(ask)
    variable, text = ask.named(pattern, kind)
    key, words = choose_property(ask, kind, *_VALUES)
    slots = (
        named_slots("x", text)
        | {"prop": amount_noun(words, ask.properties.noun(words, key))}
        | asked_about(words, text, ask.rng)
    )
    return Asked(plan(pattern.match(), returned(Property(variable, key))), slots)


def properties_of(ask: Describer) -> Asked:
    """Ask for several properties of a node."""
    pattern, kind = Pattern(), choose_kind(ask)
    variable, text = ask.named(pattern, kind)
    keys = ask.schema.keys(kind, *_VALUES)
    if len(keys) < 2:
        raise NothingToSayError
    chosen = ask.rng.sample(keys, min(len(keys), ask.rng.choice((2, 2, 3))))
    nouns = [ask.properties.noun(ask.schema.properties[kind, key], key) for key in chosen]
    slots = named_slots("x", text) | {"props": listed(nouns, ask.rng)}
    return Asked(plan(pattern.match(), returned(*(Property(variable, key) for key in chosen))), slots)


def is_it_true(ask: Describer) -> Asked:
    """Ask whether something holds of a node; the plan counts the matches, so that 0 means no."""
    pattern = Pattern()
    phrase = ask.plain(pattern, choose_kind(ask))
    text = ask.require_name(pattern, phrase.variable, phrase.kind)
    modifier = ask.modifier(pattern, phrase, 1, True, ask.rng.random() < 0.6)
    if not modifier.clauses:
        raise NothingToSayError
    clause = ask.rng.choice(modifier.clauses)
    slots = {"x": text, "does": clause.finite(False)}
    if inverted := clause.inverted(text):
        slots["inverted"] = inverted
    return Asked(plan(pattern.match(), Group((), (Aggregate("count", AggregateFunction.COUNT),))), slots)


def hop(ask: Describer) -> Asked:
    """Ask for what a node is related to: `Which films did Ann direct?`."""
    pattern, step, text, phrase, _ = _step_from_named(ask, modifiers=ask.rng.choice((0, 0, 0, 1)))
    return Asked(plan(pattern.match(), returned(Variable(phrase.variable))), step_slots(ask, step, text, phrase))


def hop_count(ask: Describer) -> Asked:
    """Ask how many nodes a node is related to: `How many films did Ann direct?`."""
    pattern, step, text, phrase, _ = _step_from_named(ask, modifiers=ask.rng.choice((0, 0, 0, 1)))
    slots = step_slots(ask, step, text, phrase)
    if slots.get("is_role") != "are":
        slots.pop("role_nouns", None)
    return Asked(plan(pattern.match(), count_of(phrase.variable)), slots)


def count_of(variable: str) -> Group:
    """Count the nodes of a pattern."""
    return Group((), (Aggregate("count", AggregateFunction.COUNT, Variable(variable)),))


def whose(ask: Describer) -> Asked:
    """Ask for the node with a value: `Whose phone number is 555-0199?`."""
    pattern = Pattern()
    phrase = ask.plain(pattern, choose_kind(ask))
    shared = [key for key in ask.schema.keys(phrase.kind, ValueType.STRING) if ask.schema.is_category(phrase.kind, key)]
    key, words = choose_property(ask, phrase.kind, ValueType.STRING, without=shared)
    value = ask.stater.choose_text(phrase.kind, key)
    pattern.require(Comparison("=", Property(phrase.variable, key), Constant(value)))
    slots = thing_slots(phrase) | {"prop": ask.properties.noun(words, key), "v": ask.stater.quoted(value, 0.1)}
    if phrase.is_person:
        slots["Whose"] = "whose"
    return Asked(plan(pattern.match(), returned(Variable(phrase.variable))), slots)


def hop_property(ask: Describer) -> Asked:
    """Ask for a property of what a node is related to: `How old is Ann's boss?`."""
    pattern, step, text, phrase, _ = _step_from_named(ask, modifiers=0)
    key, words = choose_property(ask, phrase.kind, *_VALUES)
    slots = step_slots(ask, step, text, phrase)
    chosen = ask.rng.choice(words.nouns)
    slots |= {"prop": ask.properties.noun(words, key), "plural_prop": chosen.plural}
    role = slots.get("role") or slots.get("role_thing")
    if role is None or slots["is_role"] in ("are", "were"):
        slots.pop("role", None)
    else:
        slots["role"] = role
        whose = f"{slots['x_s']} {role}" if "x_s" in slots else f"the {role} of {text}"
        found = asked_about(words, whose, ask.rng)
        if "ask" in found:
            slots["ask_role"] = found["ask"]
    value: Expression = Property(phrase.variable, key)
    return Asked(plan(pattern.match(), returned(value)), slots)


def pairs(ask: Describer) -> Asked:
    """Ask for nodes with what they are related to."""
    pattern = Pattern()
    phrase = ask.phrase(pattern, choose_kind(ask), ask.rng.choice((0, 0, 1)), depth=0)
    step = ask.hop(phrase.kind)
    other = ask.plain(pattern, step.end)
    pattern.follow(phrase.variable, step, other.variable)
    slots = thing_slots(phrase) | {"others": other.text(True)}
    if step.words.target_nouns:
        slots["others_of"] = ask.rng.choice(step.words.target_nouns).plural
    if step.words.forward:
        slots["link"] = ask.rng.choice(step.words.forward).finite(True)
    return Asked(plan(pattern.match(), returned(Variable(phrase.variable), Variable(other.variable))), slots)


def same_as(ask: Describer) -> Asked:
    """Ask for nodes that share a neighbour with a node: `Who works in the same team as Ann?`."""
    pattern = Pattern()
    phrase = ask.plain(pattern, choose_kind(ask))
    step = ask.hop(phrase.kind)
    verbs = [verb for verb in step.words.forward if verb.base != "have"]
    if step.end == phrase.kind or not verbs:
        raise NothingToSayError
    other = ask.plain(pattern, step.end)
    pattern.follow(phrase.variable, step, other.variable)
    same, text = ask.named(pattern, phrase.kind)
    pattern.follow(same, step, other.variable)
    verb = ask.rng.choice(verbs)
    slots = thing_slots(phrase) | {
        "x": text,
        "do_link": verb.finite(True),
        "does_link": verb.finite(False),
        "other": other.text(False),
    }
    if step.words.target_nouns:
        noun = ask.rng.choice(step.words.target_nouns).singular
        slots |= {"other_noun": noun, "a_other_noun": with_article(noun)}
    if phrase.is_person:
        slots |= {"x_p": text}
    return Asked(plan(pattern.match(), returned(Variable(phrase.variable), distinct=True)), _people_only(slots, phrase))


def _people_only(slots: dict[str, str], phrase: NounPhrase) -> dict[str, str]:
    """Drop the verb in the singular, which only questions for people use, for other things."""
    return slots if phrase.is_person else {name: text for name, text in slots.items() if name != "does_link"}


def link_property(ask: Describer) -> Asked:
    """Ask for a property of the relationship between two nodes."""
    pattern, step, text, phrase, link = _step_from_named(ask, 0, with_link=True)
    other = ask.require_name(pattern, phrase.variable, phrase.kind)
    key, words, is_moment = _link_key(ask, step)
    if not step.words.forward:
        raise NothingToSayError
    verb = ask.rng.choice(step.words.forward)
    slots = {
        "x": text,
        "y": other,
        "did_y": f"{verb.finite(False)} {other}",
        "inverted_y": f"{verb.inverted(text, False)} {other}",
    }
    if not is_moment:
        slots["link_prop"] = ask.properties.noun(words, key)
    return Asked(plan(pattern.match(), returned(Property(link, key))), slots)


def link_values(ask: Describer) -> Asked:
    """Ask for what a node is related to, with a property of the relationships."""
    pattern, step, text, phrase, link = _step_from_named(ask, 0, with_link=True)
    key, words, _ = _link_key(ask, step)
    slots = step_slots(ask, step, text, phrase)
    slots |= {"link_prop": ask.properties.noun(words, key), "plural_link_prop": ask.rng.choice(words.nouns).plural}
    return Asked(plan(pattern.match(), returned(Variable(phrase.variable), Property(link, key))), slots)


def link_best(ask: Describer) -> Asked:
    """Ask for the node with the highest value in a relationship: `Who bought the most of it?`."""
    pattern, rng = Pattern(), ask.rng
    phrase = ask.plain(pattern, choose_kind(ask))
    step = ask.hop(phrase.kind)
    other, text = ask.named(pattern, step.end)
    link = pattern.follow(phrase.variable, step, other, with_variable=True)
    key, words, is_moment = _link_key(ask, step)
    if is_moment or ask.schema.content(step.type, key, of_relationship=True) not in NUMBERS or not step.words.forward:
        raise NothingToSayError
    descending = rng.random() < 0.7
    verb = rng.choice(step.words.forward)
    said = ask.properties.noun(words, key)
    said = amount_noun(words, said)
    slots = thing_slots(phrase) | {
        "y": text, "does_link": verb.finite(False), "link_prop": said,
        "highest": rng.choice(("highest", "largest")) if descending else rng.choice(("lowest", "smallest")),
    }  # fmt: skip
    if phrase.is_person:
        slots["Who"] = "who"
    order = Order((SortKey(Property(link, key), descending),))
    return Asked(plan(pattern.match(), order, Slice(1), returned(Variable(phrase.variable))), slots)


def _link_key(ask: Describer, step: Hop) -> tuple[str, PropertyWords, bool]:
    if len(ask.schema.schema.relationships[step.type].ends) > 1:
        raise NothingToSayError
    keys = ask.schema.relationship_keys(step.type, *NUMBERS, *DATES, ValueType.STRING, ValueType.LIST)
    if not keys:
        raise NothingToSayError
    key = ask.rng.choice(keys)
    words = ask.schema.properties[step.type, key]
    return key, words, words.is_year or ask.schema.content(step.type, key, of_relationship=True) in DATES


def _step_from_named(
    ask: Describer, modifiers: int, with_link: bool = False
) -> tuple[Pattern, Hop, str, NounPhrase, str]:
    pattern, kind = Pattern(), choose_kind(ask)
    step = ask.hop(kind)
    variable, text = ask.named(pattern, kind)
    phrase = ask.phrase(pattern, step.end, modifiers, depth=0)
    link = pattern.follow(variable, step, phrase.variable, with_link)
    return pattern, step, text, phrase, link


def step_slots(ask: Describer, step: Hop, text: str, phrase: NounPhrase) -> dict[str, str]:
    """Return the words for a step from a node with a name."""
    rng, words = ask.rng, step.words
    many, one = phrase.text(True), phrase.text(False)
    slots = named_slots("x", text) | {"others": many, "other": one}
    if not phrase.modifiers:
        slots["What_other"] = "who" if phrase.is_person else "what"
    if words.forward:
        verb = rng.choice([verb for verb in words.forward if not verb.is_passive] or words.forward)
        slots |= {
            "did": verb.inverted(text, False),
            "what_x_did": f"{rng.choice(('which', 'what'))} {many} {text} {verb.finite(False)}",
            "x_did_what": f"{text} {verb.finite(False)} {rng.choice(('which', 'what'))} {one}",
        }
        if verb.base != "have":
            slots["that_x_did"] = f"{rng.choice(('that ', 'that ', ''))}{text} {verb.finite(False)}"
    if words.backward:
        verb = rng.choice(words.backward)
        slots |= {"links_x": f"{verb.finite(False)} {text}", "link_x": f"{verb.finite(True)} {text}"}
        if phrase.is_person and not phrase.modifiers:
            slots["Who_other"] = "who"
    if words.target_nouns and not phrase.modifiers:
        role = rng.choice(words.target_nouns)
        said = role.form(role.is_plural)
        slots |= {"role_nouns": said, "is_role": "are" if role.is_plural else "is"}
        slots["role" if phrase.is_person else "role_thing"] = said
    return slots
