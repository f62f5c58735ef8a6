"""The layout of an embedded graph file, as the importer writes it and the store reads it.

A file is written once and then never changed: an import replaces it as a whole.
"""

LAYOUT = "3"
"""To be raised with every change below; a store refuses files of another layout."""

CONTENT = "2"
"""Begins what a graph's version is a hash of; to be raised when the same rows come to mean other facts or names."""

META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"

# Both tables of triples hold the same four columns, so that a walk in either direction reads one of them alone.
# `id` is the place of the triple in the imported files; within one entity and relation both are in that order.
# `steps` of `kinds`: what can be walked from the entities of a kind, as a JSON list of relation ids, negative for steps
# backwards. Entities with the same steps are of one kind, so there are few.
GRAPH = (
    "CREATE TABLE entities (id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, degree INTEGER NOT NULL, "
    "kind INTEGER NOT NULL)",
    "CREATE TABLE kinds (id INTEGER PRIMARY KEY, steps TEXT NOT NULL)",
    "CREATE TABLE relations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE triples (s INTEGER NOT NULL, r INTEGER NOT NULL, id INTEGER NOT NULL, o INTEGER NOT NULL, "
    "PRIMARY KEY (s, r, id)) WITHOUT ROWID",
    "CREATE TABLE triples_backwards (o INTEGER NOT NULL, r INTEGER NOT NULL, id INTEGER NOT NULL, s INTEGER NOT NULL, "
    "PRIMARY KEY (o, r, id)) WITHOUT ROWID",
)

# `letters`: the normalised name without blanks, which finds names with a blank too few or too many, too. `rank` orders
# those of the same letters, best known first. `alias` is NULL where the name is the entity's own.
# `short_names`: what entities go by for short, see shared.graph.short_names.
# `words` are the distinct words of all names that may be misspelt, `names` the number of names they occur in;
# `word_keys` see shared.graph.spelling.
NAMES = (
    "CREATE TABLE names (letters TEXT NOT NULL, rank INTEGER NOT NULL, entity INTEGER NOT NULL, alias TEXT, "
    "PRIMARY KEY (letters, rank)) WITHOUT ROWID",
    "CREATE TABLE short_names (letters TEXT NOT NULL, rank INTEGER NOT NULL, entity INTEGER NOT NULL, "
    "PRIMARY KEY (letters, rank)) WITHOUT ROWID",
    "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL, names INTEGER NOT NULL)",
    "CREATE TABLE word_keys (key INTEGER NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (key, word)) WITHOUT ROWID",
)

# Made after the rows: sorting once is several times faster than inserting in random order.
ENTITIES_BY_KEY = "CREATE UNIQUE INDEX entities_by_key ON entities (key)"
