"""Name kinds and relationship types after tables and columns, and find the table that a column is named after."""

import re
from collections.abc import Sequence
from functools import cache

from graph.plan.content_types import words_of
from language.english.singulars import singular_of

_WORD = re.compile(r"[^\W_]+")
_PREFIXES = {"tbl", "dim", "fact", "stg"}
KEY_WORDS = frozenset({"id", "code", "key", "no", "nr", "num", "number", "uuid", "guid", "uid", "fk", "pk", "ref"})
"""Words that say that a column holds keys, of its own table or of another one."""
_TITLES = frozenset({"name", "title", "label", "caption"})
# Words of names of something else, or of a part of a name.
_OF_OTHERS = frozenset(
    {"first", "last", "middle", "maiden", "nick", "user", "contact", "file", "host", "short", "ship", "sort"}
)
# What columns call another row of their own table.
_SAME = frozenset(
    {"parent", "predecessor", "successor", "previous", "next", "replaces", "ancestor", "root", "original"}
)
# What columns call a person, and tables of persons.
_ROLES = frozenset(
    {
        "manager",
        "supervisor",
        "boss",
        "superior",
        "leader",
        "lead",
        "head",
        "chief",
        "mentor",
        "reports to",
        "report to",
    }
)
_PEOPLE = frozenset({"employee", "person", "staff", "user", "worker", "member", "personnel", "colleague"})
_FIRST = ("first name", "firstname", "forename", "given name", "givenname")
_LAST = ("last name", "lastname", "surname", "family name", "familyname")


@cache
def words_in(name: str) -> tuple[str, ...]:
    """Split a name of any script into words in lower case.

    Example:
        >>> words_in("orderID"), words_in("Ship_To"), words_in("Größe")
        (('order', 'id'), ('ship', 'to'), ('größe',))
    """
    parts = _WORD.findall(name)
    return tuple(word for part in parts for word in (words_of(part) if part.isascii() else [part.lower()]))


@cache
def nouns_in(table: str) -> tuple[str, ...]:
    """Return the words of a table in the singular, without prefixes such as `tbl`."""
    words = words_in(table)
    words = words[1:] if len(words) > 1 and words[0] in _PREFIXES else words
    return (*words[:-1], singular_of(words[-1])) if words else ()


def kind_of(table: str) -> str:
    """Name the kind of the rows of a table: `order_details` -> `OrderDetail`."""
    return "".join(word.capitalize() for word in nouns_in(table)) or " ".join(table.split()) or "Row"


def kinds_of(tables: Sequence[str]) -> dict[str, str]:
    """Name the kinds of all tables; those that would have the same kind keep the names of their tables."""
    kinds = {table: kind_of(table) for table in tables}
    names = list(kinds.values())
    return {table: kind if names.count(kind) == 1 else table for table, kind in kinds.items()}


def role_of(column: str) -> tuple[str, ...]:
    """Return the words of a column that say what it refers to: `customer` for `customer_id`, and for `id_customer`."""
    words = words_in(column)
    while words and words[-1] in KEY_WORDS:
        words = words[:-1]
    while len(words) > 1 and words[0] in {"id", "fk"}:
        words = words[1:]
    return words


def reference_type(columns: Sequence[str], target: str) -> str:
    """Name the relationships that columns become: `manager_id` -> `MANAGER`; `id` is named after what it refers to."""
    words = role_of(columns[0]) if len(columns) == 1 else ()
    return _type(words or nouns_in(target)) or "REFERS_TO"


def link_type(table: str) -> str:
    """Name the relationships that the rows of a link table are: `works_on` -> `WORKS_ON`."""
    return _type(words_in(table)) or "LINKS"


def _type(words: Sequence[str]) -> str:
    return "_".join(words).upper()


def is_key_name(column: str, table: str) -> bool:
    """Return whether a column is named like the key of its table: `id`, `code`, `customer_id`, `CustomerNo`."""
    words = words_in(column)
    own = role_of(column)
    return bool(words) and words[-1] in KEY_WORDS and (not own or _singular(own) == nouns_in(table))


def is_any_key_name(column: str) -> bool:
    """Return whether a column is named like some key: `emp_no`."""
    return bool(words_in(column)) and words_in(column)[-1] in KEY_WORDS


def is_title(column: str, table: str) -> bool:
    """Return whether a column is named as what names the rows of its table: `name`, or `country` of countries."""
    words = words_in(column)
    return bool(words) and (words[-1] in _TITLES or words == nouns_in(table))


def is_name(column: str, table: str) -> bool:
    """Return whether a column is named as what names the rows of its table, not something else, as a `ship_name` does.

    Example:
        >>> is_name("company_name", "customers"), is_name("ship_name", "orders"), is_name("user_name", "users")
        (True, False, True)
    """
    words = words_in(column)
    is_of_other = bool(_OF_OTHERS.intersection(words[:-1])) and words[:-1] != nouns_in(table)
    return is_title(column, table) and not is_of_other


def is_description(column: str, table: str) -> bool:
    """Return whether a column describes the rows of its table: `region_description` of regions."""
    return words_in(column) == (*nouns_in(table), "description")


def is_plain_title(column: str, table: str) -> bool:
    """Return whether a column has just the name of a name, such as `title`, or that of its table."""
    words = words_in(column)
    return len(words) == 1 and is_title(column, table)


def named_tables(column: str, table: str, tables: Sequence[str]) -> list[str]:
    """Return the tables that a column may refer to by its name, the best first.

    These are those whose name ends the words of the column, the own table for a `parent`, and for a `manager` the own
    table if it is one of people, or else the only one that is.
    """
    role = _singular(role_of(column))
    if not role:
        return []
    found = [one for one in tables if (nouns := nouns_in(one)) and role[-len(nouns) :] == nouns]
    found.sort(key=lambda one: -len(nouns_in(one)))
    if not found and role[-1] in _SAME:
        return [table]
    if not found and _is_person(role):
        people = [one for one in tables if nouns_in(one)[-1:] and nouns_in(one)[-1] in _PEOPLE]
        return [table] if table in people else people * (len(people) == 1)
    return found


def _is_person(role: Sequence[str]) -> bool:
    return role[-1] in _ROLES or " ".join(role[-2:]) in _ROLES


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    return (*words[:-1], singular_of(words[-1])) if words else ()


def name_parts(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns with the first and the last name of a person; None if another column has the whole name."""
    names = {" ".join(words_in(column)): column for column in reversed(columns)}
    if any(name in names for name in ("name", "full name", "fullname", "display name")):
        return None
    first = next((names[name] for name in _FIRST if name in names), None)
    last = next((names[name] for name in _LAST if name in names), None)
    return (first, last) if first and last else None
