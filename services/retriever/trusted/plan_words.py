"""Collect the words of the schema elements of a trusted question's plan."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from contracts.trusted_questions import TrustedQuestion
from graph.plan.algebra import (
    Group,
    HasKind,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.checks import read_plan
from graph.plan.schema import GraphSchema
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from language.english.shape import CURRENCIES, UNITS
from services.retriever.trusted.near_words import schema_words

_NUMBERS = frozenset((ValueType.INTEGER, ValueType.FLOAT))


@dataclass(frozen=True, slots=True)
class PlanWords:
    """The words of the schema elements of a plan.

    Attributes:
        names: The words of each name of each relationship type and property, in order; their owner may give several.
        parts: For each of these names, the words of all names of the same relationship type or property.
        compounds: The words of the names of kinds, relationship types, and properties that have several.
        kinds: The words of each kind, and its synonyms.
        answers: The words of the kinds of the nodes that the plan returns or counts.
        properties: The words of properties.
        numbers: The words of properties with numbers.
        measures: The words of properties with a unit.
        units: The operators of the units in which the plan's properties are stored.
        implied: The words of the relationship type that are not those of its kinds, if the schema has no other type
            between the kinds of the plan.
        name_properties: The properties that name nodes.
        is_directed: Whether the plan relates nodes that the schema relates in both directions, so that the order of
            words tells who acts on whom.
    """

    names: tuple[tuple[str, ...], ...]
    parts: tuple[frozenset[str], ...]
    compounds: tuple[tuple[str, ...], ...]
    kinds: Mapping[str, frozenset[str]]
    answers: frozenset[str]
    properties: frozenset[str]
    numbers: frozenset[str]
    measures: frozenset[str]
    units: frozenset[str]
    implied: frozenset[str]
    name_properties: frozenset[str]
    is_directed: bool

    @property
    def all(self) -> frozenset[str]:
        """Return all words."""
        return frozenset().union(*self.parts, *self.kinds.values())


def plan_words(question: TrustedQuestion, schema: GraphSchema) -> PlanWords:
    """Collect the words of a question's plan."""
    plan = read_plan(question.plan)
    nodes = [part for part in walk(plan) if isinstance(part, NodePattern)]
    kinds = {kind for node in nodes for kind in node.kinds}
    has_kinds = all(node.kinds for node in nodes)
    kinds |= {part.kind for part in walk(plan) if isinstance(part, HasKind)}
    types = {type_ for part in walk(plan) if isinstance(part, RelationshipPattern) for type_ in part.types}
    keys = {part.key for part in walk(plan) if isinstance(part, Property)}
    name_properties = frozenset(kind.name_property for kind in schema.kinds.values() if kind.name_property)
    keys -= name_properties
    words_of = {kind: _kind_words(kind, schema) for kind in sorted(kinds)}
    returned = {kind for node in nodes if node.variable in _returned(plan) for kind in node.kinds}
    words = {name: _all_words(name, schema) for name in types | keys}
    implied = [words[type_] for type_ in types if _is_implied(plan, type_, schema)]
    called = [(name, one) for name in sorted(types | keys) for one in (name, *schema.names_of(name))]
    names = tuple(tuple(schema_words(one)) for _, one in called)
    kind_names = (tuple(schema_words(kind)) for kind in sorted(kinds))
    return PlanWords(
        names=names,
        parts=tuple(words[name] for name, _ in called),
        compounds=tuple(name for name in (*names, *kind_names) if len(name) > 1),
        kinds=words_of,
        answers=frozenset().union(*(words_of[kind] for kind in returned)),
        properties=frozenset().union(*(words[key] for key in keys)),
        numbers=frozenset().union(*(words[key] for key in keys if _is_number(key, schema))),
        measures=frozenset().union(*(words[key] for key in keys if _unit(key, schema))),
        units=frozenset(unit for key in keys if (unit := _unit(key, schema))),
        implied=frozenset().union(*implied).difference(*words_of.values()),
        name_properties=name_properties,
        is_directed=any(_is_directed(type_, kinds if has_kinds else (), schema) for type_ in types),
    )


def _kind_words(kind: str, schema: GraphSchema) -> frozenset[str]:
    nouns = schema.kinds[kind].nouns if kind in schema.kinds else ()
    return frozenset(word for name in (kind, *nouns) for word in schema_words(name))


def _all_words(name: str, schema: GraphSchema) -> frozenset[str]:
    return frozenset(word for one in (name, *schema.names_of(name)) for word in schema_words(one))


def _returned(plan: Plan) -> frozenset[str]:
    """Return the variables whose nodes a plan returns or aggregates; one whose property is returned is not."""
    last = [step for step in plan.steps if isinstance(step, Project | Group)][-1:]
    return frozenset(part.name for step in last for part in walk(step) if isinstance(part, Variable))


def _is_number(key: str, schema: GraphSchema) -> bool:
    found = [kind.properties[key] for kind in schema.kinds.values() if key in kind.properties]
    return any(not one.stored.isdisjoint(_NUMBERS) or one.content in _NUMBERS for one in found)


def _unit(key: str, schema: GraphSchema) -> str | None:
    """Return the operator of the unit that ends a property's name, or that its owner gives, if there is one.

    It is `square_kilometres` of `area_km2`.
    """
    said = [one.properties[key].meaning for one in schema.kinds.values() if key in one.properties]
    words = {*schema_words(key)[1:], *(word for one in said if one for word in schema_words(one.unit))}
    return next((unit for unit, ending in {**UNITS, **CURRENCIES}.items() if ending <= words), None)


def _is_implied(plan: Plan, type_: str, schema: GraphSchema) -> bool:
    """Return whether nothing but this type relates the two kinds of a plan's only pattern."""
    matches = [part for part in walk(plan) if isinstance(part, Match)]
    if len(matches) != 1 or len(matches[0].nodes) != 2 or any(len(node.kinds) != 1 for node in matches[0].nodes):
        return False
    ends = {node.kinds[0] for node in matches[0].nodes}
    related = [name for name, one in schema.relationships.items() if any(set(pair) == ends for pair in one.ends)]
    return related == [type_]


def _is_directed(type_: str, kinds: Collection[str], schema: GraphSchema) -> bool:
    """Return whether relationships of a type lead both ways between kinds of a plan, as far as the graph has kinds."""
    found = schema.relationships.get(type_)
    if found is None or not found.ends:
        return True
    ends = {pair for pair in found.ends if not kinds or set(pair) <= set(kinds)}
    return any((target, source) in ends for source, target in ends)
