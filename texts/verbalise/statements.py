"""Aggregate facts into statements: facts of one subject and relation, or of one relation and object."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from language.english.articles import is_apposition, with_the
from language.english.measures import with_units
from language.english.morphology import RelationKind, relation_form
from shared.triple import Triple
from texts.verbalise.clauses import full_clause, is_sayable
from texts.verbalise.template import join_names

MAX_LISTED = 10
_TRUTHS = frozenset(("true", "false"))


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
    def measured(self) -> tuple[str, tuple[str, ...]]:
        """Return the relation without a unit, and the objects with it."""
        return with_units(self.relation, self.objects)

    @property
    def is_sayable(self) -> bool:
        """Return whether a clause says the relation; otherwise, the objects follow a colon."""
        return is_sayable(self.measured[0])

    @property
    def is_property(self) -> bool:
        """Return whether the statement says what `the capital of` its only subject is."""
        is_short = self.subject is not None and len(self.objects) <= MAX_LISTED
        is_noun = relation_form(self.measured[0]).kind is RelationKind.NOUN
        return is_short and is_noun and _TRUTHS.isdisjoint(self.objects)

    @property
    def is_predicate(self) -> bool:
        """Return whether a clause begins with the only subject and a verb."""
        return self.subject is not None and self.clause("\0", self.objects[0]).startswith("\0 ")

    @property
    def subject_text(self) -> str:
        """Return the subjects as a list; of more than `MAX_LISTED`, the first ones and the number of the others."""
        return _listed([with_the(name) for name in self.subjects])

    @property
    def object_text(self) -> str:
        """Return the objects as a list, with units, and with articles where no noun such as `the country` precedes."""
        objects = self.measured[1]
        names_kind = is_apposition(self.clause("", "\0"))
        return _listed(objects if names_kind else [with_the(name) for name in objects])

    def clause(self, subject: str, object_: str) -> str:
        """Write a clause without a full stop around what stands for the subjects and for the objects."""
        return full_clause(self.measured[0], subject, object_, len(self.subjects), len(self.objects))


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MAX_LISTED
    return join_names(names if rest <= 1 else [*names[:MAX_LISTED], f"{rest} more"])


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
