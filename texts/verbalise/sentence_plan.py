"""Decide which statements share a sentence, and which of them become clauses behind a name.

A reader loses the thread if unrelated facts separate a subject from its verb. A clause therefore stands at the end of a
sentence, behind the object that it describes, or is short: `KEF, whose IATA code is BIKF, serves Reykjavík.`
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from texts.verbalise.relative_clauses import relative_clause, whose
from texts.verbalise.statements import Statement

_MAX_CLAUSE = 50
_MAX_BEHIND = 2
_MAX_PAIR = 2
_MAX_LIST_IN_RUN = 5


class Form(Enum):
    """Classify a sentence by what its statements have in common."""

    PREDICATES = "Ann works in Sales and knows Bo: predicates of one subject"
    PROPERTIES = "The capital of France is Paris, and the currency is Euro: nouns of one subject"
    COMPARISON = "The capital of France is Paris, and that of Spain is Madrid: one noun of several subjects"
    SINGLE = "one statement"


_MAX_IN_RUN = {Form.PREDICATES: 4, Form.PROPERTIES: 5, Form.COMPARISON: 10, Form.SINGLE: 1}
_Key = tuple[Form, str | None, bool]


@dataclass(frozen=True, slots=True)
class Sentence:
    """Statements that share a sentence, a clause between their subject and verb, and clauses behind the last object."""

    form: Form
    statements: tuple[Statement, ...]
    between: str = ""
    behind: tuple[str, ...] = ()


def sentence_plan(found: Sequence[Statement]) -> list[Sentence]:
    """Return sentences that state each statement once, in the order of the first statement of each."""
    clauses = _Clauses(found)
    sentences = []
    for form, run in _runs(found, clauses):
        # The clauses behind an object end the sentence, and so does a list.
        places = sorted(
            run, key=lambda place: (place in clauses.behind, _is_list(found[place]), not found[place].object)
        )
        between = next((clauses.between[place] for place in run if place in clauses.between), "")
        behind = tuple(clauses.behind.get(places[-1], ()))
        sentences.append(Sentence(form, tuple(found[place] for place in places), between, behind))
    return sentences


class _Clauses:
    """Find the statements that become clauses: `said` are their places, `behind` and `between` those of their hosts."""

    def __init__(self, found: Sequence[Statement]) -> None:
        self.said: set[int] = set()
        self.behind: dict[int, list[str]] = defaultdict(list)
        self.between: dict[int, str] = {}
        self._found = found
        self._owned = Counter(one.subject for one in found if one.is_property)
        self._by_object: dict[str, list[int]] = defaultdict(list)
        self._predicates: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(found):
            if one.object not in (None, "true", "false") and one.is_sayable:
                self._by_object[one.object].append(place)
            if one.subject is not None and one.is_predicate:
                self._predicates[one.subject].append(place)
        for place in range(len(found)):
            self._put_behind_object(place)
        for place in range(len(found)):
            self._put_as_apposition(place)
        self._put_only_properties()

    def _put_behind_object(self, place: int) -> None:
        """Let a property follow the mention of its owner at the end of another sentence: `Oman, whose capital is`."""
        guest = self._found[place]
        is_brief = guest.is_property and len(guest.objects) <= _MAX_PAIR
        if guest.subject is None or not is_brief or self._owned[guest.subject] > _MAX_BEHIND or place in self.behind:
            return
        host = next((one for one in self._by_object.get(guest.subject, ()) if one != place), None)
        if host is not None and host not in self.said:
            self.behind[host].append(whose(guest.relation, guest.objects))
            self.said.add(place)

    def _put_as_apposition(self, place: int) -> None:
        """Let `the capital of Finland` follow the only object of the statement, where another one mentions that."""
        guest = self._found[place]
        name = guest.object
        if name is None or not guest.is_property or place in self.said or place in self.behind:
            return
        clause = relative_clause(guest.relation, guest.subject, name, name)
        if not clause or not _is_short(clause):
            return
        if (end := self._end_with(name, other_than=guest.subject)) is not None:
            self.behind[end].append(clause)
            self.said.add(place)
        elif (starts := self._predicates.get(name)) and starts[0] not in self.between:
            self.between[starts[0]] = clause
            self.said.add(place)

    def _end_with(self, name: str, other_than: str | None) -> int | None:
        """Return the place of the first predicate about another subject that ends with a name."""
        for place in self._by_object[name]:
            one = self._found[place]
            if one.is_predicate and one.subject != other_than and place not in self.behind:
                return place
        return None

    def _put_only_properties(self) -> None:
        """Let the only property of a subject follow its name in front of its verb, if it is short."""
        properties: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self._found):
            if one.subject in self._predicates and one.is_property and place not in self.said:
                properties[one.subject].append(place)
        for subject, places in properties.items():
            host, guest = self._predicates[subject][0], self._found[places[0]]
            clause = whose(guest.relation, guest.objects)
            is_fit = len(places) == 1 and guest.object is not None and _is_short(clause)
            if is_fit and host not in self.between and places[0] not in self.behind:
                self.between[host] = clause
                self.said.add(places[0])


def _runs(found: Sequence[Statement], clauses: _Clauses) -> list[tuple[Form, list[int]]]:
    """Return the places of the statements that share a sentence, and its form."""
    free = {place: one for place, one in enumerate(found) if place not in clauses.said}
    keys = {place: _keys(one, place in clauses.behind) for place, one in free.items()}
    sizes = Counter(key for some in keys.values() for key in some)
    groups: dict[_Key, list[int]] = defaultdict(list)
    for place, some in keys.items():
        groups[max(some, key=sizes.__getitem__, default=(Form.SINGLE, str(place), False))].append(place)
    return [
        (form if len(run) > 1 or form is Form.PREDICATES else Form.SINGLE, run)
        for (form, _, _), places in groups.items()
        for run in _split(found, places, form, clauses)
    ]


def _split(found: Sequence[Statement], places: Sequence[int], form: Form, clauses: _Clauses) -> list[list[int]]:
    """Split statements into runs of about the same length, each with at most one that has to end the sentence."""
    number = -(-len(places) // _MAX_IN_RUN[form])
    size = -(-len(places) // number)
    runs: list[list[int]] = [[]]
    has_end = False
    for place in places:
        is_end = place in clauses.behind or (form is Form.PREDICATES and _is_list(found[place]))
        if len(runs[-1]) == size or (is_end and has_end):
            runs.append([])
            has_end = False
        runs[-1].append(place)
        has_end = has_end or is_end
    return runs


def _keys(one: Statement, has_clause: bool) -> list[_Key]:
    """Return what the other statements of a run have in common with a statement."""
    is_long = len(one.objects) > _MAX_LIST_IN_RUN
    if one.is_predicate:
        return [(Form.PREDICATES, f"{one.relation}\0{one.subject}" if is_long else one.subject, is_long)]
    if is_long or not one.is_property:
        return []
    keys: list[_Key] = [(Form.PROPERTIES, one.subject, False)]
    if not has_clause and len(one.objects) <= _MAX_PAIR:
        keys.append((Form.COMPARISON, one.relation, len(one.objects) > 1))
    return keys


def _is_list(one: Statement) -> bool:
    """Return whether the objects of a statement are written with commas."""
    return len(one.objects) > _MAX_PAIR or any("," in name for name in one.objects)


def _is_short(clause: str) -> bool:
    return len(clause) <= _MAX_CLAUSE and ", " not in clause
