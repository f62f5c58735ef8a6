"""Take from a schema what a plan needs, so that no plan over it answers the question."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import STEPS, Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.examples import Example


def reduced(example: Example, rng: random.Random) -> tuple[SchemaElements, list[QuestionValue]] | None:
    """Return the schema of an example without a property or a relationship of its plan, and the values it leaves.

    None if the plan needs neither.
    """
    elements, schema = example.schema.elements, example.schema.schema
    used = [elements.properties[one.number] for one in example.actions if one.op is Op.PROPERTY]
    keys = {one.key for one in used if elements.name_properties.get(one.owner) != one.key}
    types = {elements.connections[one.number].type for one in example.actions if one.op in STEPS}
    needed = sorted(keys | types)
    if not needed:
        return None
    new = SchemaElements.of(without(schema, rng.choice(needed)))
    if not new.kinds:
        return None
    return new, _moved(example.values, elements, new)


def without(schema: GraphSchema, name: str) -> GraphSchema:
    """Return a schema without the properties and the relationships of a name."""
    kinds: dict[str, KindSchema] = {
        kind: replace(
            found,
            properties={key: one for key, one in found.properties.items() if key != name},
            name_property=None if found.name_property == name else found.name_property,
        )
        for kind, found in schema.kinds.items()
    }
    relationships: Mapping[str, RelationshipSchema] = {
        type_: replace(found, properties={key: one for key, one in found.properties.items() if key != name})
        for type_, found in schema.relationships.items()
        if type_ != name
    }
    return replace(schema, kinds=kinds, relationships=relationships)


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
