"""Find words for a schema that nobody described: its own words, and those of known domains."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import cache

from graph.plan.content_types import words_of
from graph.plan.schema import GraphSchema, PropertySchema
from graph.plan.values import Value, ValueType, type_of
from training.synthetic.plans.nouns import Noun, noun
from training.synthetic.plans.own_properties import property_words
from training.synthetic.plans.own_relations import relation_words
from training.synthetic.plans.specs import domains
from training.synthetic.plans.words import KindWords, PropertyWords, WordedSchema

Descriptions = Mapping[str, Sequence[str]]
_IDENTIFIERS = {
    "id",
    "ids",
    "uuid",
    "guid",
    "hash",
    "url",
    "uri",
    "link",
    "href",
    "embedding",
    "image",
    "picture",
    "key",
}
_PEOPLE = {
    "person",
    "people",
    "user",
    "actor",
    "director",
    "worker",
    "member",
    "human",
    "individual",
    "contact",
    "reviewer",
}
_PLAIN_VALUES = re.compile(r"[\w .,'&/+:#@-]+")


def worded(
    schema: GraphSchema, samples: Mapping[tuple[str, str], Sequence[Value]], descriptions: Descriptions
) -> WordedSchema:
    """Return a schema with words for its elements, and with values for questions."""
    kinds = {kind: _kind_words(kind, descriptions) for kind in schema.kinds if kind}
    owners: dict[str, Mapping[str, PropertySchema]] = {kind: schema.kinds[kind].properties for kind in kinds}
    owners |= {type_: one.properties for type_, one in schema.relationships.items() if type_ not in owners}
    properties: dict[tuple[str, str], PropertyWords] = {}
    values: dict[tuple[str, str], Sequence[Value]] = {}
    for owner, found in owners.items():
        for key, one in found.items():
            usable = _usable(samples.get((owner, key), one.samples), one.content)
            if not usable or one.content is None:
                continue
            values[owner, key] = usable
            if not set(words_of(key)[-1:]) & _IDENTIFIERS:
                properties[owner, key] = property_words(owner, key, one.content, usable, descriptions.get(key, ()))
    relations = {
        (source, type_, target): relation_words(type_, source, target, descriptions.get(type_, ()))
        for type_, one in schema.relationships.items()
        for source, target in sorted(one.ends)
        if source in kinds and target in kinds
    }
    return WordedSchema("own", schema, kinds, properties, relations, values)


def _usable(found: Sequence[Value], content: ValueType | None) -> list[Value]:
    """Return the values that a question can state, with the type of their content."""
    values: list[Value] = []
    for value in found:
        converted = _converted(value, content)
        if isinstance(converted, float) and not math.isfinite(converted):
            continue
        if converted is None or (isinstance(converted, str) and not _is_sayable(converted)):
            continue
        values.append(converted)
    return list(dict.fromkeys(values))


def _is_sayable(text: str) -> bool:
    """Return whether a question can state a text."""
    return 1 < len(text) <= 60 and bool(_PLAIN_VALUES.fullmatch(text)) and text == " ".join(text.split())


def _converted(value: Value, content: ValueType | None) -> Value:
    if not isinstance(value, str) or content in (ValueType.STRING, None):
        return tuple(value) if isinstance(value, list) else value
    try:
        match content:
            case ValueType.INTEGER:
                return int(value)
            case ValueType.FLOAT:
                return float(value)
            case ValueType.DATE:
                return date.fromisoformat(value[:10])
            case ValueType.DATETIME:
                return datetime.fromisoformat(value).replace(tzinfo=None)
            case ValueType.BOOLEAN:
                return value.lower() == "true"
    except ValueError:
        return None
    return value if type_of(value) is content else None


@cache
def _known_kinds() -> Mapping[str, KindWords]:
    found: dict[str, KindWords] = {}
    for domain in domains():
        for spec in domain.kinds.values():
            for one in spec.words.nouns:
                found.setdefault(one.singular, spec.words)
    return found


def _kind_words(kind: str, descriptions: Descriptions) -> KindWords:
    own = " ".join(words_of(kind)) or kind
    one = noun(own)
    known = _known_kinds().get(one.singular) or _known_kinds().get(one.singular.split()[-1])
    is_person = known.is_person if known else bool(set(one.singular.split()) & _PEOPLE)
    nouns = [_singular_first(one), *(_singular_first(noun(text)) for text in descriptions.get(kind, ()))]
    if one.singular in _known_kinds():
        nouns += _known_kinds()[one.singular].nouns
    return KindWords(tuple(dict.fromkeys(nouns)), is_person)


def _singular_first(one: Noun) -> Noun:
    return Noun(one.singular, one.plural)
