"""Draft the file in which an owner says what a graph means: everything that is known of it, ready to be completed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contracts.meaning_file import header, toml_text
from graph.plan.meaning import KINDS, PROPERTIES, RELATIONSHIPS, Address, Meanings
from graph.plan.schema import GraphSchema, Meaning, PropertySchema
from graph.plan.value_text import value_text
from shared.escaping import line_text

_MAX_EXAMPLES, _MAX_LENGTH, _MAX_ENDS, _MAX_OWNERS = 3, 40, 4, 6
_INTRODUCTION = """\
# What the graph {graph} means. Complete what you want, remove the # in front of it, and leave out the rest:
#
#   names          further names, as people say them; the first one is shown in place of the stored name
#   inverse_names  names of a relationship read backward: rpts_to is "reports to", and its inverse "manages"
#   description    what it is, in a sentence
#   unit           the unit of a number whose name does not say it: unit = "euros"
#   examples       values or facts that show what it holds
#   hidden         true if it does not exist for questions
#
# [kinds.KIND.properties.KEY] and [relationships.TYPE.properties.KEY] describe a property of one kind or type alone.
# kgqa describe --check --graph {graph} checks the file. A running kgqa up reads it again when it changes."""
_CRYPTIC = "# CRYPTIC: describe this one first."


@dataclass(frozen=True, slots=True)
class Drafted:
    """Hold the content of a draft.

    Attributes:
        graph: The name of the graph.
        schema: Its schema, with inferred kinds.
        nodes: The names of some nodes of each kind.
        said: What the owner has said so far.
        is_cryptic: Tells names that say little.
    """

    graph: str
    schema: GraphSchema
    nodes: Mapping[str, Sequence[str]]
    said: Meanings
    is_cryptic: Callable[[str], bool]


def draft(drafted: Drafted) -> str:
    """Return the text of a file."""
    return "\n".join(_lines(drafted)) + "\n"


def cryptic_names(drafted: Drafted) -> list[str]:
    """Return the names that say little, and for which the owner has given no other."""
    schema = drafted.schema
    found = [
        *((KINDS, name) for name in schema.kinds if name),
        *((RELATIONSHIPS, name) for name in schema.relationships),
        *((PROPERTIES, key) for key in _owners(schema)),
    ]
    return [one[-1] for one in found if drafted.is_cryptic(one[-1]) and not _said(drafted, one).names]


def _lines(drafted: Drafted) -> Iterator[str]:
    schema = drafted.schema
    yield _INTRODUCTION.format(graph=drafted.graph)
    for name, kind in sorted(schema.kinds.items()):
        if name:
            count = f"{kind.count:,} {'node' if kind.count == 1 else 'nodes'}"
            origin = "; kgqa inferred this kind" if kind.is_inferred else ""
            comment = f"{count}{_such_as(drafted.nodes.get(name, ()))}{origin}"
            yield from _entry(drafted, (KINDS, name), comment, ("names", "description"))
    for name, one in sorted(schema.relationships.items()):
        ends = [f"({_shown(start)})-[{_shown(name)}]->({_shown(end)})" for start, end in sorted(one.ends)]
        more = f", and {len(ends) - _MAX_ENDS} more" if len(ends) > _MAX_ENDS else ""
        comment = f"{', '.join(ends[:_MAX_ENDS]) or 'between any nodes'}{more}; {one.count:,} in all"
        yield from _entry(drafted, (RELATIONSHIPS, name), comment, ("names", "inverse_names", "description"))
    for key, owners in sorted(_owners(schema).items()):
        yield from _entry(drafted, (PROPERTIES, key), _held(owners), ("names", "unit", "description"))
    shown = {*((KINDS, one) for one in schema.kinds), *((RELATIONSHIPS, one) for one in schema.relationships)}
    shown |= {(PROPERTIES, key) for key in _owners(schema)}
    for address, meaning in drafted.said.items():
        if address not in shown:
            yield from _entry(drafted, address, "described before", tuple(_fields(meaning)))


def _owners(schema: GraphSchema) -> dict[str, list[tuple[str, PropertySchema]]]:
    """Return the owners of each key; the names of inferred kinds are no property that the graph has."""
    found: dict[str, list[tuple[str, PropertySchema]]] = defaultdict(list)
    for name, kind in schema.kinds.items():
        for key, one in kind.properties.items():
            if not (kind.is_inferred and key == kind.name_property):
                found[key].append((name, one))
    for name, relationship in schema.relationships.items():
        for key, one in relationship.properties.items():
            found[key].append((name, one))
    return found


def _held(owners: Sequence[tuple[str, PropertySchema]]) -> str:
    names = ", ".join(_shown(name) or "nodes without a kind" for name, _ in owners[:_MAX_OWNERS])
    more = ", ..." if len(owners) > _MAX_OWNERS else ""
    types = " or ".join(dict.fromkeys(str(one.content or "mixed") for _, one in owners))
    samples = [value_text(value) for _, one in owners for value in one.samples]
    return f"{types} of {names}{more}{_such_as(list(dict.fromkeys(samples)))}"


def _such_as(examples: Sequence[str]) -> str:
    shown = [_shown(one) for one in examples[:_MAX_EXAMPLES]]
    return f", such as {', '.join(map(repr, shown))}" if shown else ""


def _shown(text: str) -> str:
    text = line_text(text)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def _said(drafted: Drafted, address: Address) -> Meaning:
    return drafted.said.get(address, Meaning())


def _entry(drafted: Drafted, address: Address, comment: str, open_: Sequence[str]) -> Iterator[str]:
    said = _fields(_said(drafted, address))
    yield ""
    if "names" not in said and drafted.is_cryptic(address[-1]):
        yield _CRYPTIC
    yield f"# {comment}"
    yield header(address)
    for name, text in said.items():
        yield f"{name} = {text}"
    for name in open_:
        if name not in said:
            yield f"# {name} = {'[]' if name.endswith('names') else toml_text('')}"


def _fields(meaning: Meaning) -> dict[str, str]:
    """Return what is said, as TOML."""
    found = {
        "names": _array(meaning.names),
        "inverse_names": _array(meaning.inverse_names),
        "description": toml_text(meaning.description) if meaning.description else "",
        "unit": toml_text(meaning.unit) if meaning.unit else "",
        "examples": _array(meaning.examples),
        "hidden": "true" if meaning.is_hidden else "",
    }
    return {name: text for name, text in found.items() if text}


def _array(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(toml_text, texts))}]" if texts else ""
