"""Put what an owner says of the elements of a graph into its schema: `rpts_to` is called `reports to`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from graph.plan.schema import GraphSchema, KindSchema, Meaning, PropertySchema, RelationshipSchema

KINDS, RELATIONSHIPS, PROPERTIES = "kinds", "relationships", "properties"

Address = tuple[str, ...]
"""The place of a description: `("kinds", KIND)`, `("kinds", KIND, "properties", KEY)`, or `("properties", KEY)`."""
Meanings = Mapping[Address, Meaning]


def addresses(schema: GraphSchema) -> Iterator[Address]:
    """Yield the addresses of all elements of a schema."""
    for section, owners in ((KINDS, schema.kinds), (RELATIONSHIPS, schema.relationships)):
        for owner, described in owners.items():
            if owner:
                yield section, owner
            for key in described.properties:
                yield PROPERTIES, key
                if owner:
                    yield section, owner, PROPERTIES, key


def has_own_kinds(schema: GraphSchema) -> bool:
    """Return whether the nodes of a graph have kinds; those of plain triples have none, until some are inferred."""
    return any(schema.kinds) or not schema.relationships


def described(schema: GraphSchema, meanings: Meanings) -> GraphSchema:
    """Return a schema whose elements have their meanings, without the hidden ones.

    Meanings of what the schema lacks are kept in its `meanings`, for kinds that are inferred later. In plain triples, a
    relation to numbers or dates is a property as well, so the meaning of either is that of both.
    """
    if not meanings:
        return schema
    reader = _Reader(meanings, are_triples=not has_own_kinds(schema) or any(map(_is_inferred, schema.kinds.values())))
    absent = {name for name, one in schema.kinds.items() if reader.hides((KINDS, name)) and not one.is_inferred}
    kinds = {name: reader.kind(name, one) for name, one in schema.kinds.items() if name not in absent}
    types = {
        name: reader.relationship(name, replace(one, ends=ends))
        for name, one in schema.relationships.items()
        if not reader.hides((RELATIONSHIPS, name))
        and ((ends := frozenset(pair for pair in one.ends if absent.isdisjoint(pair))) or not one.ends)
    }
    hidden = schema.hidden | frozenset(hidden_keys(meanings))
    return replace(schema, kinds=kinds, relationships=types, hidden=hidden, meanings=dict(meanings))


def meaning_text(said: Meaning) -> str:
    """Write a meaning on one line: `reports to, boss; read backward: manages; whom somebody works for`."""
    parts = (
        ", ".join(said.names),
        f"read backward: {', '.join(said.inverse_names)}" if said.inverse_names else "",
        f"in {said.unit}" if said.unit else "",
        said.description,
    )
    return "; ".join(filter(None, parts))


def hidden_keys(meanings: Meanings) -> Iterator[tuple[str, str]]:
    """Yield the owner, or `""` for all, and the key of each hidden property."""
    for address, meaning in meanings.items():
        if meaning.is_hidden and PROPERTIES in (address[0], *address[2:3]):
            yield (address[1], address[3]) if len(address) > 2 else ("", address[1])


def _is_inferred(kind: KindSchema) -> bool:
    return kind.is_inferred


class _Reader:
    def __init__(self, meanings: Meanings, are_triples: bool) -> None:
        self._meanings = meanings
        self._are_triples = are_triples

    def hides(self, address: Address) -> bool:
        found = self._of(address)
        return found is not None and found.is_hidden

    def kind(self, name: str, one: KindSchema) -> KindSchema:
        return replace(one, properties=self._properties((KINDS, name), one), meaning=self._of((KINDS, name)))

    def relationship(self, name: str, one: RelationshipSchema) -> RelationshipSchema:
        address = (RELATIONSHIPS, name)
        return replace(one, properties=self._properties(address, one), meaning=self._of(address))

    def _properties(self, owner: Address, one: KindSchema | RelationshipSchema) -> dict[str, PropertySchema]:
        found = {key: self._property(owner, key) for key in one.properties}
        return {
            key: replace(described, meaning=found[key])
            for key, described in one.properties.items()
            if not self._is_hidden(found[key])
        }

    def _property(self, owner: Address, key: str) -> Meaning | None:
        """Return what is said of a property of its owner, and for what that leaves open, of the key in general."""
        own, general = self._meanings.get((*owner, PROPERTIES, key)), self._of((PROPERTIES, key))
        return general if own is None else own if general is None else own.completed(general)

    def _of(self, address: Address) -> Meaning | None:
        found = self._meanings.get(address)
        if found is None and self._are_triples and address[0] != KINDS:
            other = RELATIONSHIPS if address[0] == PROPERTIES else PROPERTIES
            found = self._meanings.get((other, address[1]))
        return found

    @staticmethod
    def _is_hidden(meaning: Meaning | None) -> bool:
        return meaning is not None and meaning.is_hidden
