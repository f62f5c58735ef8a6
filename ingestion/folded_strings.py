"""Write the lower-case forms of strings whose case SQLite cannot ignore."""

import sqlite3

from graph.sqlite.plan_text_tests import is_exception, needs_folded_form
from graph.sqlite.schema import ENTITY_NAME, ENTITY_NAME_KEY

# Only strings with characters beyond ASCII, or with NUL characters, have fewer characters than bytes.
_NAMES = "SELECT ?, id, name FROM entities WHERE length(name) < length(CAST(name AS BLOB))"
_PROPERTIES = (
    "SELECT key, entity, value FROM node_properties "
    "WHERE typeof(value) = 'text' AND length(value) < length(CAST(value AS BLOB))"
)


def write_folded_strings(connection: sqlite3.Connection) -> None:
    """Fill `folded_strings` from the tables of entities and properties."""
    found = connection.execute(_PROPERTIES).fetchall()
    if not connection.execute("SELECT 1 FROM property_keys WHERE name = ?", (ENTITY_NAME,)).fetchone():
        found += connection.execute(_NAMES, (ENTITY_NAME_KEY,))
    rows = sorted((key, row, text.lower(), is_exception(text)) for key, row, text in found if needs_folded_form(text))
    connection.executemany("INSERT INTO folded_strings VALUES (?, ?, ?, ?)", rows)
