"""Pair the slots that the wordings of a shape fill with the plan that they ask for."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from graph.plan.algebra import Column, Expression, Plan, Project, Property, Step, Variable
from training.synthetic.plans.clauses import NounPhrase
from training.synthetic.plans.stating import END
from training.synthetic.plans.verbs import third_person
from training.synthetic.plans.words import PropertyWords, is_count

_PRONOUNS = {
    "everyone": ("everyone", "everybody"),
    "someone": ("someone", "somebody", "anyone", "anybody", "sb"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold a plan, and the words for the slots of the wordings that ask for it."""

    plan: Plan
    slots: Mapping[str, str]


def plan(*steps: Step | None) -> Plan:
    """Build a plan from those steps that are not None."""
    return Plan(tuple(step for step in steps if step is not None))


def returned(*values: Expression, distinct: bool = False) -> Project:
    """Return the given values, under names of their own."""
    columns: list[Column] = []
    for value in values:
        name = value.name if isinstance(value, Variable) else value.key if isinstance(value, Property) else "value"
        taken = {column.name for column in columns}
        columns.append(Column(name if name not in taken else f"{name}{len(columns) + 1}", value))
    return Project(tuple(columns), distinct)


def thing_slots(phrase: NounPhrase) -> dict[str, str]:
    """Return the slots that a noun phrase fills."""
    slots = {"things": phrase.text(True), "thing": phrase.text(False), "that": "who" if phrase.is_person else "that"}
    if phrase.is_person:
        slots |= {"people": slots["things"], "person": slots["thing"]}
    if not re.search(r" (that|who|which|whose|where) ", slots["things"]):
        slots["brief"] = slots["things"]
    if (owned := phrase.owned()) is not None:
        owner, slots["owned_things"], slots["owned_thing"] = owned
        slots |= named_slots("owner", owner)
    for slot, pronouns in _PRONOUNS.items():
        if people := phrase.of_people(pronouns):
            slots[slot] = people
    if who := phrase.as_who():
        slots["who_does"] = who
    split = phrase.split()
    if split is not None:
        slots["head"], slots["one_head"], clause = split
        slots["do"], slots["does"] = clause.finite(True), clause.finite(False)
        if base := clause.base():
            slots["base"] = base
        if phrase.is_person and phrase.is_plain:
            slots |= {"Who": "who", "Who_many": "how many people"}
    return slots


def possessive(text: str) -> str | None:
    """Return the possessive of a reference to a node; None if it reads badly."""
    if text.startswith(("a ", "an ")) or text.endswith((f"'{END}", f'"{END}')):
        return None
    return f"{text}'s"


def named_slots(name: str, text: str) -> dict[str, str]:
    """Return the slots that a reference to a node fills: the reference and its possessive."""
    owner = possessive(text)
    return {name: text, f"{name}_s": owner} if owner else {name: text}


def asked_about(words: PropertyWords, text: str, rng: random.Random) -> dict[str, str]:
    """Return the questions for a property of what `text` names."""
    if not words.asks:
        return {}
    wording = rng.choice(words.asks)
    ask = wording.replace("{x}'s", possessive(text) or "\ue002").replace("{x}", text)
    if "\ue002" in ask:
        return {}
    slots = {"ask": ask}
    if found := re.fullmatch(r"(.+) (is|was) \{x\}", wording):
        slots["indirect"] = f"{found[1]} {text} {found[2]}"
    elif found := re.fullmatch(r"(.+) does \{x\} (\w+)(.*)", wording):
        slots["indirect"] = f"{found[1]} {text} {third_person(found[2])}{found[3]}"
    elif found := re.fullmatch(r"(.+) (is|was) \{x\} (.+)", wording):
        slots["indirect"] = f"{found[1]} {text} {found[2]} {found[3]}"
    return slots


def listed(nouns: list[str], rng: random.Random) -> str:
    """Return several nouns as a list: `name, price and stock`."""
    if len(nouns) < 2:
        return "".join(nouns)
    return f"{', '.join(nouns[:-1])}{rng.choice((' and ', ' and ', ', '))}{nouns[-1]}"


def amount_noun(words: PropertyWords, said: str) -> str:
    """Return a noun for a number: `number of pages` for a count."""
    return f"number of {said}" if is_count(words, said) else said
