"""Name kinds, properties, and relationship types after tables, columns, and keys.

Real graphs are named in many styles, and a model has to read all of them. The name of the database decides the style,
so that a database always gets the same names.
"""

import re
import zlib
from collections.abc import Sequence

from graph.plan.content_types import words_of

KEY_WORDS = {"id", "ids", "uid", "code", "no", "number", "key", "ref", "fk"}
_IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child", "series": "series"}
_WORDS = re.compile(r"[A-Za-z0-9]+")


class NamingStyle:
    """Name the elements of one graph in one style.

    Kinds keep the spelling of their table, or are CamelCase, in the plural or the singular. Keys keep the spelling of
    their column, or are camelCase or snake_case. Types are SCREAMING_CASE or camelCase.
    """

    def __init__(self, database: str) -> None:
        self._hash = zlib.crc32(database.encode())

    def kind(self, table: str, readable: str) -> str:
        """Name the kind of a table; `readable` is the name of the table in words."""
        words = _WORDS.findall(readable)
        if self._hash % 3 == 0 or not words:
            return table
        if self._hash % 3 == 1:
            words[-1] = singular(words[-1])
        return "".join(word.capitalize() for word in words)

    def key(self, column: str, readable: str) -> str:
        """Name the property of a column; `readable` is the name of the column in words."""
        words = _WORDS.findall(readable.lower())
        if self._hash // 3 % 3 == 0 or not words:
            return column
        return _camel_case(words) if self._hash // 3 % 3 == 1 else "_".join(words)

    def foreign_key(self, column: str, source: str, target: str) -> str:
        """Name the relationships from one kind to another after a foreign key.

        `home_team_id` becomes `HOME_TEAM`. A column that only repeats the name of the target says nothing about the
        relationship, so its type is one of `HAS_TEAM`, `IN_TEAM`, `OF_TEAM`, `BELONGS_TO`, and `TEAM`.
        """
        words = [word for word in words_of(column) if word not in KEY_WORDS]
        noun = words_of(target) or [target.lower()]
        if not words or set(map(singular, words)) <= set(map(singular, noun)):
            choices = [["has", *noun], ["in", *noun], ["of", *noun], ["belongs", "to"], noun]
            words = choices[zlib.crc32(f"{source}{column}".encode()) % len(choices)]
        return self.type(words)

    def link(self, table: str) -> str:
        """Name the relationships that the rows of a table are."""
        return self.type(words_of(table) or [table])

    def type(self, words: Sequence[str]) -> str:
        """Spell the words of a relationship type."""
        return _camel_case(words) if self._hash // 9 % 3 == 2 else "_".join(words).upper()


def singular(word: str) -> str:
    """Return the singular of an English plural; other words stay as they are."""
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower] if word == lower else _IRREGULAR[lower].capitalize()
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + ("Y" if word.isupper() else "y")
    if lower.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) else word


def _camel_case(words: Sequence[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])
