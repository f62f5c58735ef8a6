"""Describe schema elements in words, for the encoder."""

from collections.abc import Sequence

from graph.plan.schema import PropertySchema
from graph.plan.values import ValueType
from language.english.stems import spelt_out
from services.retriever.plans.schema.schema_elements import Connection, OwnedProperty, SchemaElements

_MAX_SAMPLE = 24
_FEW_VALUES, _REPEATED, _OFTEN_REPEATED = 12, 0.7, 0.2
"""Values that show what a property holds: few different ones that occur several times, or many that occur often."""
_MAX_STEPS = 9
_TYPE_WORDS = {
    ValueType.INTEGER: "number", ValueType.FLOAT: "number", ValueType.BOOLEAN: "yes or no", ValueType.DATE: "date",
    ValueType.DATETIME: "date", ValueType.LIST: "list", ValueType.STRING: "text",
}  # fmt: skip


def readable(identifier: str) -> str:
    """Return an identifier as words.

    Example:
        >>> readable("ACTED_IN"), readable("reorderLevel")
        ('acted in', 'reorder level')
    """
    return " ".join(spelt_out(identifier)) or identifier


def element_texts(elements: SchemaElements) -> list[str]:
    """Describe the kinds, the connections, and the properties of a schema, in this order."""
    return [
        *(_kind_text(kind, elements) for kind in elements.kinds),
        *map(_connection_text, elements.connections),
        *map(_property_text, elements.properties),
    ]


def _kind_text(kind: str, elements: SchemaElements) -> str:
    """Return the nouns for a kind; the name of an inferred kind is a guess, so its connections are listed as well."""
    nouns = ", ".join([readable(kind) or "entity", *elements.synonyms.get(kind, ())])
    if kind not in elements.inferred:
        return nouns
    has = {one.type: _said(one.type, one.names) for one in elements.connections if one.source == kind}
    for one in elements.properties:
        if one.owner == kind and one.key != elements.name_properties.get(kind):
            has.setdefault(one.key, _said(one.key, one.schema.names))
    of = [f"{readable(one.source)} {_said(one.type, one.names)}" for one in elements.connections if kind in one.targets]
    return f"{nouns}: {', '.join([*has.values(), *of][:_MAX_STEPS])}"


def _connection_text(connection: Connection) -> str:
    targets = sorted(connection.targets)
    source, ends = readable(connection.source), " or ".join(map(readable, targets[:3]))
    return f"{source} {_said(connection.type, connection.names)} {ends}".strip()


def _property_text(one: OwnedProperty) -> str:
    content = one.schema.content
    owner = readable(one.owner)
    text = f"{owner} {_said(one.key, one.schema.names)}".strip()
    samples = [value for value in one.schema.samples if isinstance(value, str) and len(value) <= _MAX_SAMPLE]
    kind = _TYPE_WORDS.get(content, "text") if content is not None else "text"
    if content is ValueType.STRING and samples and _are_repeated(one.schema):
        return f"{text}: {', '.join(samples[:3])}"
    return f"{text}: {kind}"


def _said(name: str, names: Sequence[str]) -> str:
    """Return a name in words; the first name that the owner gave takes the place of the stored one.

    Further names only link words; in the text, they would dilute the mean of its tokens.
    """
    return names[0] if names else readable(name)


def _are_repeated(one: PropertySchema) -> bool:
    """Return whether the values of a property show what it holds, as a status does, and a title does not."""
    is_few = 0 < one.distinct * one.count <= _FEW_VALUES and one.distinct < _REPEATED
    return is_few or one.distinct <= _OFTEN_REPEATED
