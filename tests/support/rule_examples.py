"""Read the examples of rules about plans: their graphs, and their questions with the plans that are predicted."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from graph.cypher.reader import read_cypher
from graph.plan.algebra import Plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from language.english.english import english
from language.question import Question
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import Action
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.oracle import Slot, actions_of

_NODE = r"\(:(\w+)(?: \{([^}]*)\})?\)"
_LINK = re.compile(rf"(?={_NODE}-\[:(\w+)(?: \{{([^}}]*)\}})?\]->{_NODE})")
_NAME = "name"


def schema_of(patterns: str) -> GraphSchema:
    """Return the schema that patterns of Cypher describe; see `services.retriever.plans.rules.Example`."""
    kinds: dict[str, dict[str, PropertySchema]] = defaultdict(dict)
    for kind, properties in re.findall(_NODE, patterns):
        kinds[kind].update(_properties(properties))
    ends, owned = defaultdict[str, set[tuple[str, str]]](set), dict[str, dict[str, PropertySchema]]()
    for source, _, type_, properties, target, _ in _LINK.findall(patterns):
        ends[type_].add((source, target))
        owned.setdefault(type_, {}).update(_properties(properties))
    return GraphSchema(
        {kind: KindSchema(3, found, _NAME if _NAME in found else None) for kind, found in kinds.items()},
        {type_: RelationshipSchema(3, frozenset(ends[type_]), owned[type_]) for type_ in ends},
    )


def _properties(text: str) -> Iterator[tuple[str, PropertySchema]]:
    """Yield the properties in a text such as `name: STRING, born: DATE`."""
    for key, type_ in re.findall(r"(\w+): (\w+)", text):
        holds_durations = type_ == "DURATION"
        content = ValueType.STRING if holds_durations else ValueType[type_]
        yield key, PropertySchema(frozenset((content,)), content, 3, holds_durations=holds_durations)


def read_example(
    schema: str, question: str, plan: str, is_known: bool = True
) -> tuple[AskedQuestion, Plan, tuple[Action, ...]]:
    """Return a question, and the plan that is predicted for it with its actions.

    The constants of the plan are values of the question, and the graph has the texts among them if they are known.
    """
    found, asked, read = schema_of(schema), english(question), read_cypher(plan)
    elements = SchemaElements.of(found)
    actions, slots = actions_of(read, elements)
    used = [_value(slot, asked, elements, is_known) for slot in slots]
    texts = [one for one in used if one.form is ValueForm.TEXT]
    others = [one for one in asked.stated if one not in used and not _is_within(one, texts)]
    return AskedQuestion(asked, [*used, *others], elements, found), read, tuple(actions)


def _value(slot: Slot, question: Question, elements: SchemaElements, is_known: bool) -> QuestionValue:
    """Return the value of a question that a constant of its plan stands for."""
    if isinstance(slot.value, str):
        start, properties = question.text.find(slot.value), elements.name_numbers
        numbers = properties if slot.property is None else (slot.property,)
        stored = dict.fromkeys(numbers, slot.value) if is_known else {}
        return QuestionValue(start, start + len(slot.value), ValueForm.TEXT, slot.value, slot.value, stored)
    stated = (one for one in question.stated if one.value == slot.value)
    return next(stated, QuestionValue(0, 0, ValueForm.NUMBER, slot.value, str(slot.value)))


def _is_within(value: QuestionValue, others: Sequence[QuestionValue]) -> bool:
    return any(one.start <= value.start and value.end <= one.end for one in others)
