"""Check whether a graph has the elements that its owner describes."""

from collections.abc import Set
from dataclasses import dataclass, replace

from contracts.meaning_clashes import without_clashes
from contracts.meaning_file import MeaningFile, Problem, header
from graph.plan.meaning import KINDS, PROPERTIES, RELATIONSHIPS, Address, Meanings, addresses, has_own_kinds
from graph.plan.schema import GraphSchema
from language.english.measures import unit_problem
from shared.suggestions import did_you_mean

_NOUNS = {KINDS: "kind", RELATIONSHIPS: "relationship", PROPERTIES: "property"}


@dataclass(frozen=True, slots=True)
class FittingMeanings:
    """The meanings of what a graph has, and the problems of all other entries of a file."""

    meanings: Meanings
    problems: tuple[Problem, ...]


def fitting(file: MeaningFile, schema: GraphSchema, inferred: GraphSchema | None = None) -> FittingMeanings:
    """Return the entries of a file that fit a graph; `inferred` is its schema with the kinds that were inferred.

    Names that another element has are left out, and so are units that are unknown, or other than what the name says.
    Without `inferred`, entries about kinds of a graph that has none of its own are taken as they are.
    """
    hidden = {
        address[1]
        for address, one in file.meanings.items()
        if one.is_hidden and address[0] == KINDS and len(address) == 2
    }
    fit = _Fit(schema, inferred, hidden)
    problems = list(file.problems)
    meanings = {}
    for address, meaning in file.meanings.items():
        problem = fit.problem(address, meaning.is_hidden)
        if problem:
            problems.append(Problem(file.lines.get(address, 1), f"{header(address)} is left out: {problem}"))
        else:
            meanings[address] = meaning
    kept, clashes = without_clashes(meanings, inferred or schema)
    problems += [Problem(file.lines.get(one.address, 1), f"{header(one.address)}: {one}") for one in clashes]
    for address, meaning in kept.items():
        if meaning.unit and (why := unit_problem(address[-1], meaning.unit)):
            kept[address] = replace(meaning, unit="")
            text = f"{header(address)}: the unit {meaning.unit!r} is left out: {why}"
            problems.append(Problem(file.lines.get(address, 1), text))
    return FittingMeanings(kept, tuple(sorted(problems, key=lambda one: one.line)))


class _Fit:
    def __init__(self, schema: GraphSchema, inferred: GraphSchema | None, hidden: Set[str]) -> None:
        self._has_kinds = has_own_kinds(schema)
        self._takes_any_kind = not self._has_kinds and inferred is None
        self._known = frozenset((*addresses(schema), *(addresses(inferred) if inferred else ())))
        found = inferred or schema
        shown = {name: one for name, one in found.kinds.items() if name not in hidden}
        self._names = {(KINDS, name, one.name_property) for name, one in shown.items() if one.name_property}

    def problem(self, address: Address, is_hidden: bool) -> str:
        """Return what is wrong with an entry, or nothing."""
        if is_hidden and (problem := self._hiding(address)):
            return problem
        if address in self._known or (self._takes_any_kind and address[0] == KINDS):
            return ""
        if not self._has_kinds and len(address) == 2 and self._other(address) in self._known:
            return ""
        return self._unknown(address)

    def _hiding(self, address: Address) -> str:
        """Return why an element cannot be hidden."""
        if address[0] == KINDS and not self._has_kinds:
            return "kinds that are inferred cannot be hidden; hide the relationships that lead there"
        named = {kind for _, kind, key in self._names if key == address[-1]}
        if len(address) == 4 and address[0] == KINDS and address[1] in named:
            return f"this property names nodes, so it cannot be hidden; hide {header(address[:2])}"
        if address[0] == PROPERTIES and named:
            return f"this property names nodes of {', '.join(sorted(named))}, so it cannot be hidden"
        return ""

    def _unknown(self, address: Address) -> str:
        """Say that the graph lacks an element, with similar names."""
        name, noun = address[-1], _NOUNS[address[-2]]
        if len(address) == 4 and address[:2] not in self._known:
            return self._unknown(address[:2])
        for section in (KINDS, RELATIONSHIPS, PROPERTIES):
            if len(address) == 2 and (section, name) in self._known:
                return f"the graph has no {noun} {name!r}, but a {_NOUNS[section]}: write {header((section, name))}"
        known = self._siblings(address)
        owner = f" of {address[1]}" if len(address) == 4 else ""
        close = did_you_mean(name, known) or "; kgqa schema lists what it has"
        return f"the graph has no {noun} {name!r}{owner}{close}"

    def _siblings(self, address: Address) -> Set[str]:
        return {one[-1] for one in self._known if one[:-1] == address[:-1]}

    @staticmethod
    def _other(address: Address) -> Address:
        return ({RELATIONSHIPS: PROPERTIES, PROPERTIES: RELATIONSHIPS}.get(address[0], ""), *address[1:])
