"""What rows of three fields mean, whichever file format they come from."""

from collections.abc import Sequence

from ingestion.problems import LONGEST_FIELD, Problems, field_problem
from ingestion.sqlite_writer import GraphWriter

ALIAS = "alias"
"""The reserved relation: its object is another name of its subject, not an entity."""

COLUMNS = ("subject", "relation", "object")

_SYNONYMS = {
    "subject": 0,
    "head": 0,
    "s": 0,
    "source": 0,
    "relation": 1,
    "predicate": 1,
    "p": 1,
    "object": 2,
    "tail": 2,
    "o": 2,
    "target": 2,
}


def column(name: str) -> int | None:
    """Which of subject (0), relation (1) and object (2) a header field names, if any."""
    return _SYNONYMS.get(name.strip().lower())


def add_row(fields: Sequence[str], writer: GraphWriter, problems: Problems, where: str, line: int) -> None:
    """Add a row of subject, relation and object, or note what is wrong with it."""
    subject, relation, object_ = (field.strip() for field in fields)
    if not "".join(fields).isprintable():
        subject, relation, object_ = map(writer.visible, (subject, relation, object_))
    # One cheap look at the whole row: bad rows are rare, and only they need to be told apart.
    if not (subject and relation and object_ and "".join((subject, relation, object_)).isprintable()) or (
        len(subject) + len(relation) + len(object_) > LONGEST_FIELD or relation[0] == "^"
    ):
        for role, text in zip(COLUMNS, (subject, relation, object_), strict=True):
            if problem := field_problem(role, text):
                problems.add(where, line, problem)
                return
    if relation != ALIAS:
        writer.fact(subject, relation, object_)
    elif subject == object_:
        problems.add(where, line, f"the alias of {subject!r} is its own name; remove the line")
    else:
        writer.alias(subject, object_)
