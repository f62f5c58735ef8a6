"""State facts as one paragraph by grammar, without a language model.

Facts are aggregated by subject and relation, or by relation and object. Long lists are shown in part, and relative
clauses join facts that continue each other: `The currency of Austria, whose capital is Vienna, is Euro.` Every name is
copied as it is. The time is linear in the number of facts.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from shared.triple import Triple
from shared.verbalise.clauses import full_clause, is_sayable
from shared.verbalise.measures import with_units
from shared.verbalise.morphology import RelationKind, is_plural, plural, relation_form
from shared.verbalise.relative_clauses import relative_clause
from shared.verbalise.template import join_names

MAX_LISTED = 10
_MIN_PROPERTIES = 3
_MAX_IN_RUN = {"predicates": 3, "properties": 5, "relation": MAX_LISTED}


@dataclass(frozen=True, slots=True)
class Statement:
    """Several facts with one relation and one subject, or with one relation and one object."""

    relation: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]

    @property
    def subject(self) -> str | None:
        """Return the subject, if there is only one."""
        return self.subjects[0] if len(self.subjects) == 1 else None

    @property
    def object(self) -> str | None:
        """Return the object, if there is only one."""
        return self.objects[0] if len(self.objects) == 1 else None

    @property
    def is_sayable(self) -> bool:
        """Return whether a clause says the relation; otherwise, the objects follow a colon."""
        return is_sayable(with_units(self.relation, self.objects)[0])


def as_paragraph(triples: Sequence[Triple]) -> str:
    """State each fact once, apart from what long lists leave out, which is counted.

    Example:
        >>> as_paragraph([Triple("Austria", "capital", "Vienna"), Triple("Austria", "currency", "Euro")])
        'The currency of Austria, whose capital is Vienna, is Euro.'
    """
    return " ".join(_ended(text) for text in _sentences(statements(triples)))


def statements(triples: Sequence[Triple]) -> list[Statement]:
    """Aggregate facts by subject and relation, or by relation and object where that joins more of them."""
    distinct = list(dict.fromkeys(triples))
    of_head = Counter((fact.subject, fact.relation) for fact in distinct)
    of_tail = Counter((fact.relation, fact.object) for fact in distinct)
    groups: dict[tuple[str, str, bool], list[Triple]] = defaultdict(list)
    for fact in distinct:
        by_head = of_head[fact.subject, fact.relation] >= of_tail[fact.relation, fact.object]
        groups[fact.relation, fact.subject if by_head else fact.object, by_head].append(fact)
    return [
        Statement(
            relation,
            tuple(dict.fromkeys(fact.subject for fact in facts)),
            tuple(dict.fromkeys(fact.object for fact in facts)),
        )
        for (relation, _, _), facts in groups.items()
    ]


def state(statement: Statement, subject: str = "", object_: str = "") -> str:
    """Write a clause without a full stop; `subject` and `object_` replace single names by a phrase around them."""
    relation, objects = with_units(statement.relation, statement.objects)
    subjects = statement.subjects
    form = relation_form(relation)
    if form.kind is RelationKind.NOUN and len(objects) > MAX_LISTED and not object_:
        shown = join_names(objects[:MAX_LISTED])
        owner = subject or join_names(subjects)
        return f"The graph lists {len(objects)} {plural(form.phrase)} of {owner}, among them {shown}"
    return full_clause(relation, subject or _listed(subjects), object_ or _listed(objects), len(subjects), len(objects))


def _listed(names: Sequence[str]) -> str:
    """List names; of more than `MAX_LISTED`, list the first ones, and count the others."""
    rest = len(names) - MAX_LISTED
    return join_names(names if rest <= 1 else [*names[:MAX_LISTED], f"{rest} more"])


def _sentences(found: Sequence[Statement]) -> list[str]:
    """Write one sentence for each statement, for two that continue each other, or for several of the same form."""
    hosts = _hosts(found)
    said = {*hosts.values()}
    runs = _runs(found, said | hosts.keys())
    sentences = []
    for place, statement in enumerate(found):
        if place in said:
            continue
        run = [found[one] for one in runs.get(place, ())]
        said.update(runs.get(place, ()))
        if place in hosts:
            sentences.append(_with_relative(statement, found[hosts[place]]))
        elif len(run) > 1:
            sentences.append(_joined(run))
        else:
            sentences.append(state(statement))
    return sentences


def _hosts(found: Sequence[Statement]) -> dict[int, int]:
    """Map statements to the other ones that become relative clauses in them, each at most once.

    These are earlier ones, or a later one about the object: `Qatar borders Oman, whose capital is Muscat.`
    """
    properties = Counter(one.subject for one in found if _is_property(one))
    open_by_name: dict[str, int] = {}
    hosts: dict[int, int] = {}
    used: set[int] = set()
    for place, statement in enumerate(found):
        # A clause about a name does not fit before a colon.
        subject = statement.subject if statement.is_sayable else None
        ends = [name for name in (subject, statement.object) if name is not None]
        for name in ends:
            guest = open_by_name.get(name)
            if guest is None or guest in used or guest in hosts or place in used:
                continue
            is_list = properties[name] >= _MIN_PROPERTIES and name == statement.subject == found[guest].subject
            if is_list and _is_property(statement) and _is_property(found[guest]):
                continue  # a sentence lists them
            # In `Peru borders Chile, bordering Argentina`, the participle seems to be about Peru, and in `The skills of
            # Ann, reporting to Bo, are ...` about the skills.
            is_loose = subject != name or _is_property(statement)
            is_misread = name == found[guest].subject and is_loose and _is_verb(found[guest])
            relative = relative_clause(found[guest].relation, found[guest].subject, found[guest].object, name)
            if relative and not is_misread:
                hosts[place] = guest
                used |= {guest, place}
                break
            is_about_object = name == found[guest].object and name == statement.subject and _is_property(statement)
            if is_about_object and relative_clause(statement.relation, name, statement.object, name):
                hosts[guest] = place
                used |= {guest, place}
                break
        for name in ends:
            if statement.subject is not None and statement.object is not None:
                open_by_name.setdefault(name, place)
    return hosts


def _is_verb(statement: Statement) -> bool:
    return relation_form(statement.relation).kind is RelationKind.VERB


def _with_relative(host: Statement, guest: Statement) -> str:
    """Write a statement with a relative clause after the name that it shares with another one."""
    if (
        host.subject is not None
        and host.subject in (guest.subject, guest.object)
        and host.is_sayable
        and (relative := relative_clause(guest.relation, guest.subject, guest.object, host.subject))
    ):
        return state(host, subject=f"{host.subject}, {relative},")
    name = host.object or ""
    relative = relative_clause(guest.relation, guest.subject, guest.object, name)
    return state(host, object_=f"{name}, {relative}")


def _runs(found: Sequence[Statement], taken: set[int]) -> dict[int, list[int]]:
    """Return statements that one sentence can state, by the first of them.

    These are predicates of one subject, as in `Ann works in Sales and knows Bo`, one noun of several subjects, as in
    `The capital of France is Paris, and that of Spain is Madrid`, or nouns of one subject, as in `The capital of France
    is Paris, the currency is Euro, and the continent is Europe`.
    """
    free = {place: one for place, one in enumerate(found) if place not in taken and one.subject is not None}
    sizes = Counter(key for one in free.values() for key in _run_keys(one))
    runs: dict[int, list[int]] = {}
    current: dict[tuple[str, str | None], list[int]] = {}
    for place, statement in free.items():
        key = max(_run_keys(statement), key=sizes.__getitem__, default=None)
        if key is None:
            continue
        if len(current.get(key, ())) in (0, _MAX_IN_RUN[key[0]]):
            current[key] = runs[place] = []
        current[key].append(place)
    return runs


def _run_keys(statement: Statement) -> list[tuple[str, str | None]]:
    """Return what the other statements of a run have in common with a statement."""
    if _predicate(statement):
        return [("predicates", statement.subject)]
    keys = [("properties", statement.subject)] if _is_property(statement) else []
    return [*keys, ("relation", statement.relation)] if _is_noun(statement) else keys


def _is_property(statement: Statement) -> bool:
    """Return whether a statement begins with `The`, a noun, and `of` its subject."""
    is_short = len(statement.objects) <= MAX_LISTED
    is_noun = relation_form(with_units(statement.relation, statement.objects)[0]).kind is RelationKind.NOUN
    return (
        statement.subject is not None and is_noun and is_short and not {"true", "false"}.intersection(statement.objects)
    )


def _is_noun(statement: Statement) -> bool:
    form = relation_form(statement.relation)
    is_single = form.kind is RelationKind.NOUN and not is_plural(form.phrase.split(" of ")[0])
    return is_single and statement.object is not None and statement.object not in ("true", "false")


def _joined(run: Sequence[Statement]) -> str:
    if _predicate(run[0]):
        return _coordinated(run)
    return _listed_properties(run) if run[0].subject == run[1].subject else _compared(run)


def _listed_properties(found: Sequence[Statement]) -> str:
    owner = f" of {found[0].subject} "
    first, *others = map(state, found)
    parts = [first, *(one.replace(owner, " ", 1).replace("The ", "the ", 1) for one in others)]
    mark = ";" if any("," in one for one in parts) else ","
    return f"{f'{mark} '.join(parts[:-1])}{mark} and {parts[-1]}"


def _compared(found: Sequence[Statement]) -> str:
    first, *others = found
    parts = [state(first), *(f"that of {one.subject} is {_values(one)}" for one in others)]
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _values(statement: Statement) -> str:
    return join_names(with_units(statement.relation, statement.objects)[1])


def _predicate(statement: Statement) -> str:
    """Return the part of a clause after its single subject; nothing if the clause has no such part."""
    relation, objects = with_units(statement.relation, statement.objects)
    form = relation_form(relation)
    if len(objects) != 1 or form.kind is RelationKind.NOUN:
        return ""
    whole = full_clause(relation, "\0", objects[0])
    return whole[2:] if whole.startswith("\0 ") else ""


def _coordinated(found: Sequence[Statement]) -> str:
    predicates = [_predicate(one) for one in found]
    mark = ", and " if len(predicates) > 2 or any(" and " in one for one in predicates) else " and "
    return f"{found[0].subject} {', '.join(predicates[:-1])}{mark}{predicates[-1]}"


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."
