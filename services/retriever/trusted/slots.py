"""Turn the text in a slot of a trusted question into a value, or refuse it: near misses must not be served."""

from collections.abc import Mapping
from dataclasses import dataclass

from contracts.trusted_questions import DATE, ENTITY, NUMBER, TEXT, VALUE_TYPES, TrustedQuestion
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from graph.plan.schema import GraphSchema
from graph.plan.values import NodeRef, Value
from graph.store import GraphStore
from language.marks import Mark
from language.question import Question
from language.values import ValueForm
from services.retriever.linking.meant_nodes import meant_matches
from services.retriever.plans.names.meant_in_plans import with_meant_nodes_only
from shared.text import normalise

FORMS = {DATE: (ValueForm.DATE,), NUMBER: (ValueForm.NUMBER, ValueForm.YEAR)}
"""The forms of values by the types of slots; a number that could be a year is one that may also be no year."""


@dataclass(frozen=True, slots=True)
class FilledSlots:
    """The values of slots, the probability that all of them are meant, and the texts that name nodes."""

    values: Mapping[str, Value]
    confidence: float
    mentions: tuple[str, ...]


def filled_plan(trusted: TrustedQuestion, slots: FilledSlots, question: Question, schema: GraphSchema) -> Plan:
    """Return the plan of a trusted question about what is in its slots, and about the nodes that names mean."""
    names = frozenset(kind.name_property for kind in schema.kinds.values() if kind.name_property is not None)
    return with_meant_nodes_only(trusted.filled(slots.values), question, names)


async def filled_slots(
    store: GraphStore, types: Mapping[str, str], texts: Mapping[str, Question]
) -> FilledSlots | None:
    """Return the values of slots with these types and texts; None if a text is not of its type as a whole."""
    values: dict[str, Value] = {}
    confidence = 1.0
    for name, type_ in types.items():
        found = await linked(store, type_, texts[name])
        if found is None:
            return None
        values[name] = found[0]
        confidence *= found[1]
    return FilledSlots(
        values, confidence, tuple(texts[name].text for name, one in types.items() if one not in VALUE_TYPES)
    )


async def linked(store: GraphStore, type_: str, said: Question) -> tuple[Value, float] | None:
    """Return the value of a slot, and the probability that it is meant; None if the text is not of the type as a whole.

    A node is meant only if the text is its whole name or alias. Of several nodes with the name, each is as likely.
    """
    text = said.text
    if type_ in FORMS:
        values = [one.value for one in said.stated if one.form in FORMS[type_] and one.text == text]
        return (values[0], 1.0) if values else None
    if type_ == TEXT:
        quoted = said.first(Mark.QUOTED_WHOLE)
        if quoted is None and " " in text:
            return None  # further words may be a condition that the plan does not have
        return ((quoted.parts[0] or "") if quoted else text), 1.0
    [matches] = await store.entities_named([text])
    matches = meant_matches(said, text, matches)
    named = {match.entity.id: match.entity.name for match in matches}
    if type_ != ENTITY and named:
        plan = Plan((Match((NodePattern("n", (type_,), tuple(named)),)), Project((Column("n", Variable("n")),))))
        of_kind = {node.id for (node,) in (await store.run(plan)).rows if isinstance(node, NodeRef)}
        named = {id_: name for id_, name in named.items() if id_ in of_kind}
    if not named:
        return None
    exact = [name for name in named.values() if normalise(name) == normalise(text)] or list(named.values())
    return exact[0], 1 / len(named)
