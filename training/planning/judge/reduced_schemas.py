"""Take from a schema what a plan needs, so that no plan over it answers the question."""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from language.english.stems import stems_of
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import STEPS, Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.examples import Example

_SEVERAL = 0.25  # of the reduced schemas lack two of the things that the plan needs
_OF_ALL_OWNERS = (
    0.5  # of the properties go from all kinds, others from theirs alone, so that those of others look right
)


@dataclass(frozen=True, slots=True)
class Property:
    """Name a property that a plan needs, of one owner, or of all that have one of this key if there is no `owner`."""

    key: str
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Relationship:
    """Name a relationship type that a plan needs."""

    type: str


@dataclass(frozen=True, slots=True)
class Kind:
    """Name a kind of node that a plan needs."""

    name: str


@dataclass(frozen=True, slots=True)
class Name:
    """Tell the number of a value that a plan needs, which is the name of something in the graph."""

    number: int


Need = Property | Relationship | Kind | Name


def reduced(example: Example, rng: random.Random) -> tuple[SchemaElements, list[QuestionValue]] | None:
    """Return the schema of an example without something that its plan needs, and the values that are left.

    None if the plan needs nothing that can be missed, or nothing else is left.
    """
    needs = needs_of(example, rng)
    if not needs:
        return None
    lacking = rng.sample(needs, min(len(needs), 2 if rng.random() < _SEVERAL else 1))
    elements, schema = example.schema.elements, example.schema.schema
    for one in lacking:
        schema = without(schema, one)
    new = SchemaElements.of(schema)
    if not new.kinds:
        return None
    unknown = {one.number for one in lacking if isinstance(one, Name)}
    left = [value for number, value in enumerate(example.values) if number not in unknown]
    return new, _moved(left, elements, new)


def needs_of(example: Example, rng: random.Random) -> list[Need]:
    """Return what the plan of an example needs, apart from names of nodes that the question does not ask for.

    A node without a property that names it is still an answer, unless the question asks for its title, for example.
    """
    elements = example.schema.elements
    asked = stems_of(example.question)
    found = set[Need]()
    for one in example.actions:
        match one.op:
            case Op.PROPERTY:
                its = elements.properties[one.number]
                is_name = elements.name_properties.get(its.owner) == its.key
                if not is_name or asked & stems_of(its.key):
                    found.add(Property(its.key, None if rng.random() < _OF_ALL_OWNERS else its.owner))
            case Op.KIND if len(elements.kinds) > 1 and elements.kinds[one.number] not in elements.inferred:
                found.add(Kind(elements.kinds[one.number]))
            case Op.VALUE if example.values[one.number].stored:
                found.add(Name(one.number))
            case op if op in STEPS:
                found.add(Relationship(elements.connections[one.number].type))
    return sorted(found, key=repr)


def without(schema: GraphSchema, need: Need) -> GraphSchema:
    """Return a schema without a property, a relationship type, or a kind; a value is not part of it."""
    match need:
        case Property(key, owner):
            return _without_property(schema, key, lambda its: owner in (None, its))
        case Relationship(gone):
            return replace(
                schema, relationships={name: one for name, one in schema.relationships.items() if name != gone}
            )
        case Kind(gone):
            kinds = {name: one for name, one in schema.kinds.items() if name != gone}
            return replace(schema, kinds=kinds, relationships=_between(schema.relationships, kinds))
        case Name():
            return schema


def _without_property(schema: GraphSchema, key: str, is_gone: Callable[[str], bool]) -> GraphSchema:
    def left(owner: str, properties: Mapping[str, PropertySchema]) -> dict[str, PropertySchema]:
        return {name: one for name, one in properties.items() if name != key or not is_gone(owner)}

    def kind(owner: str, found: KindSchema) -> KindSchema:
        properties = left(owner, found.properties)
        named = found.name_property if found.name_property in properties else None
        return replace(found, properties=properties, name_property=named)

    return replace(
        schema,
        kinds={name: kind(name, one) for name, one in schema.kinds.items()},
        relationships={
            name: replace(one, properties=left(name, one.properties)) for name, one in schema.relationships.items()
        },
    )


def _between(relationships: Mapping[str, RelationshipSchema], kinds: Collection[str]) -> dict[str, RelationshipSchema]:
    """Return the relationships that connect some of the kinds."""
    found = {
        name: replace(one, ends=frozenset(pair for pair in one.ends if all(end in kinds for end in pair)))
        for name, one in relationships.items()
    }
    return {name: one for name, one in found.items() if one.ends}


def _moved(values: Sequence[QuestionValue], old: SchemaElements, new: SchemaElements) -> list[QuestionValue]:
    """Return values with the new numbers of the properties that hold them; texts that no property holds are gone."""
    found = []
    for value in values:
        stored = {}
        for number, text in value.stored.items():
            one = old.properties[number]
            place = new.property_numbers.get((one.of_relationship, one.owner, one.key))
            if place is not None:
                stored[place] = text
        if stored or value.form is not ValueForm.TEXT:
            found.append(replace(value, stored=stored))
    return found
