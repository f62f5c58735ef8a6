"""Hold the words that people use for the elements of a schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from graph.plan.schema import GraphSchema
from graph.plan.values import Value, ValueType
from training.synthetic.plans.nouns import Noun
from training.synthetic.plans.verbs import VerbPhrase


@dataclass(frozen=True, slots=True)
class KindWords:
    """Hold the nouns for a kind; its nodes are people if `is_person`."""

    nouns: tuple[Noun, ...]
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class PropertyWords:
    """Hold the words for a property.

    Attributes:
        nouns: Nouns such as `salary`; a plural noun such as `pages` means that the property is a count.
        unit: What the numbers count, such as `minutes`; `money` for amounts.
        adjectives: Quadruples of more, most, less, and least, such as older, oldest, younger, youngest.
        than: Pairs of more and less that a number can follow, such as `older` and `younger`.
        verbs: Verbs that a number can follow, such as `cost`.
        events: Phrases that a date can follow, such as `were hired`.
        states: Phrases that a text can follow, such as `live in`; for booleans, whole phrases such as `are remote`.
        asks: Questions for the property of `{x}`.
        is_adjective: Whether the values of a category stand before the noun, as in `open incidents`.
        is_year: Whether the integers are years.
    """

    nouns: tuple[Noun, ...]
    unit: str = ""
    adjectives: tuple[tuple[str, ...], ...] = ()
    than: tuple[tuple[str, str], ...] = ()
    verbs: tuple[VerbPhrase, ...] = ()
    events: tuple[VerbPhrase, ...] = ()
    states: tuple[VerbPhrase, ...] = ()
    asks: tuple[str, ...] = ()
    is_adjective: bool = False
    is_year: bool = False


def is_count(words: PropertyWords, said: str) -> bool:
    """Return whether a noun for a property names what is counted, such as `pages`."""
    return words.nouns[0].is_plural and any(said == one.plural for one in words.nouns)


@dataclass(frozen=True, slots=True)
class RelationWords:
    """Hold the words for a relationship.

    Attributes:
        forward: Verb phrases from the source to the target, such as `work for`.
        backward: Verb phrases from the target to the source, such as `employ`.
        target_nouns: What the target is for the source, such as `employer`.
        source_nouns: What the source is for the target, such as `employees`.
    """

    forward: tuple[VerbPhrase, ...]
    backward: tuple[VerbPhrase, ...]
    target_nouns: tuple[Noun, ...] = ()
    source_nouns: tuple[Noun, ...] = ()

    def flipped(self) -> "RelationWords":
        """Return the words for the opposite direction."""
        return RelationWords(self.backward, self.forward, self.source_nouns, self.target_nouns)


@dataclass(frozen=True, slots=True)
class Hop:
    """Describe a step from a kind over a relationship; `words` run in the direction of the step."""

    type: str
    start: str
    end: str
    is_inverse: bool
    words: RelationWords

    def reversed(self) -> "Hop":
        """Return the step back."""
        return Hop(self.type, self.end, self.start, not self.is_inverse, self.words.flipped())


@dataclass(frozen=True)
class WordedSchema:
    """Pair a schema with the words for its elements, and with values for questions.

    Attributes:
        name: The name of the schema, which its questions refer to.
        schema: The schema.
        kinds: The words for each kind.
        properties: The words for each property, by (owner, key); the owner is a kind or a relationship type.
        relations: The words for each relationship, by (source, type, target).
        values: Values of each property, by (owner, key), with the type of its content.
    """

    name: str
    schema: GraphSchema
    kinds: Mapping[str, KindWords]
    properties: Mapping[tuple[str, str], PropertyWords]
    relations: Mapping[tuple[str, str, str], RelationWords]
    values: Mapping[tuple[str, str], Sequence[Value]] = field(repr=False)

    @cached_property
    def hops(self) -> Mapping[str, Sequence[Hop]]:
        """Return the steps that can be taken from each kind."""
        found: dict[str, list[Hop]] = {kind: [] for kind in self.kinds}
        for (source, type_, target), words in self.relations.items():
            found[source].append(Hop(type_, source, target, False, words))
            found[target].append(Hop(type_, target, source, True, words.flipped()))
        return found

    def name_property(self, kind: str) -> str | None:
        """Return the key of the property that names the nodes of a kind, if questions can use it."""
        key = self.schema.kinds[kind].name_property
        return key if key is not None and self.values.get((kind, key)) else None

    def content(self, owner: str, key: str, of_relationship: bool = False) -> ValueType | None:
        """Return the type of the content of a property."""
        holder = self.schema.relationships[owner] if of_relationship else self.schema.kinds[owner]
        return holder.properties[key].content

    def is_category(self, kind: str, key: str) -> bool:
        """Return whether many nodes share the values of a property."""
        return len(self.values[kind, key]) <= 15 or self.schema.kinds[kind].properties[key].distinct < 0.1

    def keys(self, kind: str, *types: ValueType) -> list[str]:
        """Return the properties of a kind with one of the types, without the one that names its nodes."""
        described = self.schema.kinds[kind]
        return [
            key
            for key, one in described.properties.items()
            if one.content in types and key != described.name_property and self.values.get((kind, key))
            and (kind, key) in self.properties
        ]  # fmt: skip

    def relationship_keys(self, type_: str, *types: ValueType) -> list[str]:
        """Return the properties of a relationship type with one of the types."""
        return [
            key
            for key, one in self.schema.relationships[type_].properties.items()
            if one.content in types and self.values.get((type_, key)) and (type_, key) in self.properties
        ]
