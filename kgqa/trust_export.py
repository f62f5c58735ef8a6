"""Turn trusted questions into training questions, with names and values of the graph in their slots."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.trusted_questions import ENTITY, VALUE_TYPES, TrustedQuestion, in_wording, wording
from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    Slice,
    Variable,
)
from graph.plan.checks import read_plan
from graph.plan.schema import GraphSchema
from graph.plan.traversal import walk
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef, Value
from graph.store import GraphStore
from question_sets.records import QuestionRecord


async def training_questions(
    store: GraphStore, questions: Sequence[TrustedQuestion], each: int
) -> list[QuestionRecord]:
    """Return up to `each` questions with plans for each wording; questions that do not fit the graph must be left out.

    A slot for nodes holds the names of different nodes, and a slot for values those of the property that the plan
    compares it with. A wording with a slot for which the graph has no value is left out.
    """
    schema = await store.schema()
    found = []
    for question in questions:
        slots = {name: type_ for text in question.wordings for name, type_ in wording(text).slots.items()}
        values = {name: await _values(store, schema, question, name, type_, each) for name, type_ in slots.items()}
        found += list(_filled(question, values, each))
    return found


def _filled(question: TrustedQuestion, values: Mapping[str, Sequence[Value]], each: int) -> Iterator[QuestionRecord]:
    """Yield the questions of every wording; each wording begins with other values, so that all of them are used."""
    if not all(values.values()):
        return
    for offset, text in enumerate(question.wordings):
        for number in range(each if values else 1):
            chosen = {name: some[(number + offset) % len(some)] for name, some in values.items()}
            if number < max(map(len, values.values()), default=1):
                said = in_wording(text, {name: value_text(value) for name, value in chosen.items()})
                yield QuestionRecord(question=said, plan=question.filled(chosen))


async def _values(
    store: GraphStore, schema: GraphSchema, question: TrustedQuestion, name: str, type_: str, each: int
) -> list[Value]:
    if type_ in VALUE_TYPES:
        keys = _compared_with(read_plan(question.plan), name)
        samples = [
            value
            for kind in schema.kinds.values()
            for key in keys
            if key in kind.properties
            for value in kind.properties[key].samples
        ]
        return list(dict.fromkeys(samples))[:each]
    node = NodePattern("n", () if type_ == ENTITY else (type_,))
    rows = (await store.run(Plan((Match((node,)), Project((Column("n", Variable("n")),)), Slice(each))), each)).rows
    return [one.name for (one,) in rows if isinstance(one, NodeRef) and one.name]


def _compared_with(plan: Plan, name: str) -> list[str]:
    """Return the keys of the properties that a plan compares with a slot."""
    found = []
    for part in walk(plan):
        if isinstance(part, Comparison) and Constant(f"{{{name}}}") in (part.left, part.right):
            found += [one.key for one in (part.left, part.right) if isinstance(one, Property)]
    return found
