"""Reduce a schema to what a question may need, and write it for the prompt of a language model."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from graph.neo4j.cypher_text import quote
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from language.english.stems import stems_of
from language.question import Question

MAX_KINDS, MAX_TYPES, MAX_PROPERTIES = 20, 40, 12
MAX_CHARACTERS = 8_000
"""The length of the text; further lines are left out."""
_MAX_NAME = 100
_MAX_ENDS = 6
_MAX_SAMPLES, _MAX_SAMPLE = 5, 30
_FEW_VALUES = 0.2
"""The share of distinct values up to which a property is a category, whose values are worth listing."""

_Owner = TypeVar("_Owner", KindSchema, RelationshipSchema)


def prune(schema: GraphSchema, question: Question, linked: Collection[str]) -> GraphSchema:
    """Keep the kinds, relationship types, and properties that a question may need.

    Args:
        schema: The schema of the graph.
        question: The question.
        linked: The kinds of the entities that the question names, which come first.

    Returns:
        The schema of the kinds that are linked or share a word with the question, by themselves or by a property or a
        relationship, then of their neighbours, and then of the largest others; everything if the schema is small.
    """
    relevance = _relevance(question)
    kept = _best_kinds(schema, relevance, linked)
    types = {name: _among(one, kept) for name, one in schema.relationships.items() if _usable(name)}
    ranked = sorted(
        (name for name, one in types.items() if one.ends), key=lambda name: (-relevance(name), -types[name].count, name)
    )
    return replace(
        schema,
        kinds={name: _with_best_properties(schema.kinds[name], relevance) for name in kept},
        relationships={name: _with_best_properties(types[name], relevance) for name in ranked[:MAX_TYPES]},
    )


def schema_text(schema: GraphSchema) -> str:
    """Write a schema as patterns of Cypher, one a line, with the types of the properties and some of their values.

    Example:
        >>> print(schema_text(schema))
        (:Film {title: string, year: integer})
        (:Person {name: string})
        (:Person)-[:ACTED_IN {roles: list}]->(:Film)
    """
    lines = [f"({_inside(name, kind.properties)})" for name, kind in schema.kinds.items()]
    for name, one in schema.relationships.items():
        for source, target in sorted(one.ends)[:_MAX_ENDS]:
            lines.append(f"({_label(source)})-[{_inside(name, one.properties)}]->({_label(target)})")
    kept, length = [], 0
    for line in lines:
        length += len(line) + 1
        if length <= MAX_CHARACTERS:
            kept.append(line)
    return "\n".join(kept)


def identifier(name: str) -> str:
    """Write a name as Cypher, in backticks where it needs them."""
    return name if name.isascii() and name.isidentifier() else quote(name)


def _relevance(question: Question) -> Callable[..., int]:
    """Return a function that counts the words that names share with a question."""
    words = {stem for stem in question.roots if not stem.isdecimal()}
    return lambda *names: len(words & {stem for name in names for stem in stems_of(name)})


def _best_kinds(schema: GraphSchema, relevance: Callable[..., int], linked: Collection[str]) -> list[str]:
    """Return the kinds that matter most, in the order of their relevance."""
    scores = {
        name: 4 * (name in linked) + 3 * relevance(name, *kind.synonyms) + bool(relevance(*kind.properties))
        for name, kind in schema.kinds.items()
        if _usable(name)
    }
    needed = {name for name, score in scores.items() if score >= 3}
    for name, one in schema.relationships.items():
        near = 2 if relevance(name) else 1
        for ends in one.ends:
            if relevance(name) or needed.intersection(ends):
                scores |= {kind: max(scores[kind], near) for kind in ends if kind in scores}
    ranked = sorted(scores, key=lambda name: (-scores[name], -schema.kinds[name].count, name))
    return ranked[:MAX_KINDS]


def _usable(name: str) -> bool:
    return len(name) <= _MAX_NAME


def _among(one: RelationshipSchema, kinds: Sequence[str]) -> RelationshipSchema:
    return replace(one, ends=frozenset((source, target) for source, target in one.ends if {source, target} <= {*kinds}))


def _with_best_properties(owner: _Owner, relevance: Callable[..., int]) -> _Owner:
    name = owner.name_property if isinstance(owner, KindSchema) else None
    usable = [(key, one) for key, one in owner.properties.items() if _usable(key)]
    ranked = sorted(usable, key=lambda item: (item[0] != name, -relevance(item[0]), -item[1].count, item[0]))
    return replace(owner, properties=dict(ranked[:MAX_PROPERTIES]))


def _label(name: str) -> str:
    return f":{identifier(name)}" if name else ""


def _inside(name: str, properties: Mapping[str, PropertySchema]) -> str:
    """Write what stands between the brackets of a node or a relationship."""
    written = ", ".join(f"{identifier(key)}: {_type(one)}" for key, one in properties.items())
    return " ".join(part for part in (_label(name), f"{{{written}}}" if written else "") if part)


def _type(one: PropertySchema) -> str:
    """Return the types in which values are stored, since queries read them so, and the values of a category."""
    types = " or ".join(sorted(one.stored))
    samples = _short(one.samples) if one.distinct <= _FEW_VALUES else []
    return f"{types} such as {', '.join(samples)}" if samples else types


def _short(samples: Iterable[object]) -> list[str]:
    texts = [one for one in samples if isinstance(one, str) and 0 < len(one) <= _MAX_SAMPLE]
    return [json.dumps(one, ensure_ascii=False) for one in texts[:_MAX_SAMPLES]]
