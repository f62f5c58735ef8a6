"""Find names in `meaning.toml` that another element of the graph has already, so that a question could mean either."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from graph.plan.content_types import words_of
from graph.plan.meaning import KINDS, PROPERTIES, RELATIONSHIPS, Address, Meanings
from graph.plan.schema import GraphSchema, KindSchema, Meaning, RelationshipSchema

Group = tuple[str, ...]
"""Elements among which a name must be unique: kinds, properties of an owner, or relationships between two kinds."""


@dataclass(frozen=True, slots=True)
class NameClash:
    """A name of the element at `address` that `other` has, as its stored name or as the first further one."""

    address: Address
    name: str
    other: str
    is_stored: bool

    def __str__(self) -> str:
        noun = {KINDS: "kind", RELATIONSHIPS: "relationship"}.get(self.address[-2], "property")
        whose = f"is that of the {noun}" if self.is_stored else f"is said of the {noun}"
        return (
            f"the name {self.name!r} is left out: it {whose} {self.other!r}, too; choose another name for one of them"
        )


def without_clashes(meanings: Meanings, schema: GraphSchema) -> tuple[dict[Address, Meaning], list[NameClash]]:
    """Return meanings without the names that other elements have, and these names.

    The stored name of an element that is given names counts only where these are taken from the other element: an owner
    may say that a `City` is an office, and a `Location` a city. Of two kinds or properties with the same first name,
    which answers show, the earlier one keeps it. Other further names may be shared: a question about a `region` may
    mean either kind. So may the names of relationships: many things are `in` something.
    """
    names = _Names(meanings, schema)
    kept = {}
    for address, meaning in meanings.items():
        kept[address] = meaning if meaning.is_hidden else names.claimed(address, meaning)
    return kept, names.clashes


class _Names:
    def __init__(self, meanings: Meanings, schema: GraphSchema) -> None:
        self.clashes: list[NameClash] = []
        self._schema = schema
        self._said: dict[tuple[Group, str], str] = {}
        self._stored: dict[tuple[Group, str], str] = {}
        self._renamed = {
            group: {_words(name) for name in meaning.names}
            for address, meaning in meanings.items()
            if meaning.names
            for group in ((one, address[-1]) for one in self._groups(address))
        }
        for address in _elements(schema):
            if not any(one in meanings and meanings[one].is_hidden for one in (address, address[-2:])):
                for group in self._groups(address):
                    self._stored.setdefault((group, _words(address[-1])), address[-1])

    def claimed(self, address: Address, meaning: Meaning) -> Meaning:
        """Return a meaning with the names that no other element has, which no other element may have from now on."""
        names, inverse = (
            tuple(one for one in found if self._claim(address, one, one in meaning.names[:1]))
            for found in (meaning.names, meaning.inverse_names)
        )
        return replace(meaning, names=names, inverse_names=inverse)

    def _claim(self, address: Address, name: str, is_shown: bool) -> bool:
        places = [(group, _words(name)) for group in self._groups(address)]
        is_unique = is_shown and RELATIONSHIPS not in address[:1]
        for known, is_stored in ((self._stored, True), (self._said if is_unique else {}, False)):
            others = [(one[0], known[one]) for one in places if known.get(one, address[-1]) != address[-1]]
            if is_stored:
                others = [one for one in others if self._keeps_name(one, address)]
            if others:
                self.clashes.append(NameClash(address, name, others[0][1], is_stored))
                return False
        if is_shown:
            self._said.update((one, address[-1]) for one in places)
        return True

    def _keeps_name(self, other: tuple[Group, str], address: Address) -> bool:
        """Return whether another element goes by its stored name, or by that of the element at an address."""
        return other not in self._renamed or _words(address[-1]) in self._renamed[other]

    def _groups(self, address: Address) -> list[Group]:
        """Return the groups to which an element belongs."""
        match address:
            case (section, owner, _, _):
                return [(section, owner)]
            case ("kinds", _):
                return [(KINDS,)]
            case ("relationships", name):
                found = self._schema.relationships.get(name)
                return [(RELATIONSHIPS, "", *sorted(ends)) for ends in found.ends] if found else []
        return [(section, owner) for section, owner, one in _owners(self._schema) if address[-1] in one.properties]


def _owners(schema: GraphSchema) -> Iterator[tuple[str, str, KindSchema | RelationshipSchema]]:
    sections: tuple[tuple[str, Mapping[str, KindSchema | RelationshipSchema]], ...] = (
        (KINDS, schema.kinds),
        (RELATIONSHIPS, schema.relationships),
    )
    for section, owners in sections:
        for owner, described in owners.items():
            yield section, owner, described


def _elements(schema: GraphSchema) -> Iterator[Address]:
    for section, owner, described in _owners(schema):
        yield section, owner
        for key in described.properties:
            yield section, owner, PROPERTIES, key


def _words(name: str) -> str:
    return " ".join(words_of(name))
