"""Define the tables of a graph file, for the importer that writes them and the store that reads them.

An import replaces the whole file; nothing changes a file in place.
"""

# In a graph of triples, plans read the name of an entity as this property.
ENTITY_NAME = "name"
# The key of entity names in `folded_strings`.
ENTITY_NAME_KEY = 0
# Version of the tables below. Increase it with every change: a store refuses files with a different layout.
LAYOUT = "5"
# Prefix of the content hash. Increase it when the same rows come to represent different facts or names.
CONTENT = "2"
META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"

# `triples` and its index hold the same four columns, so a traversal in either direction reads one of them only. `id` is
# the position of the triple in the imported files; rows with the same entity and relation are in that order.
# `kinds` holds the few distinct characteristic sets: `steps` is a JSON list of the relation steps that the entities of
# a set have. Each step is a relation id, which is negative for an inverse step.
GRAPH = (
    "CREATE TABLE entities (id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, degree INTEGER NOT NULL, "
    "kind INTEGER NOT NULL)",
    "CREATE TABLE kinds (id INTEGER PRIMARY KEY, steps TEXT NOT NULL)",
    "CREATE TABLE relations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE triples (s INTEGER NOT NULL, r INTEGER NOT NULL, id INTEGER NOT NULL, o INTEGER NOT NULL, "
    "PRIMARY KEY (s, r, id)) WITHOUT ROWID",
)

# `labels` holds the kinds of nodes; `relations` holds the types of relationships. Values have the form that
# graph.sqlite.values describes, so their columns have no affinity, which would convert them. `nodes` counts the
# nodes that have a property. `folded_strings` holds the lower-case form of the few names and properties of nodes for
# which SQLite's functions, which fold ASCII letters only, would give another one; see plan_text_tests.py.
PROPERTIES = (
    "CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE node_labels (label INTEGER NOT NULL, entity INTEGER NOT NULL, PRIMARY KEY (label, entity)) "
    "WITHOUT ROWID",
    "CREATE TABLE property_keys (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, nodes INTEGER NOT NULL)",
    "CREATE TABLE node_properties (entity INTEGER NOT NULL, key INTEGER NOT NULL, value NOT NULL, "
    "PRIMARY KEY (entity, key)) WITHOUT ROWID",
    "CREATE TABLE relationship_properties (triple INTEGER NOT NULL, key INTEGER NOT NULL, value NOT NULL, "
    "PRIMARY KEY (triple, key)) WITHOUT ROWID",
    "CREATE TABLE folded_strings (key INTEGER NOT NULL, entity INTEGER NOT NULL, value TEXT NOT NULL, "
    "is_exception INTEGER NOT NULL, PRIMARY KEY (key, entity)) WITHOUT ROWID",
)

# `letters` is the normalised name without spaces, which also matches names with missing or extra spaces. `rank` orders
# entities with the same letters by degree. `alias` is NULL for the entity's own name.
# `short_names` holds the short forms of names, `words` the distinct correctable words of all names and the number of
# names that contain each word, and `word_keys` their index keys; see graph.name_matching.
NAMES = (
    "CREATE TABLE names (letters TEXT NOT NULL, rank INTEGER NOT NULL, entity INTEGER NOT NULL, alias TEXT, "
    "PRIMARY KEY (letters, rank)) WITHOUT ROWID",
    "CREATE TABLE short_names (letters TEXT NOT NULL, rank INTEGER NOT NULL, entity INTEGER NOT NULL, "
    "PRIMARY KEY (letters, rank)) WITHOUT ROWID",
    "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL, names INTEGER NOT NULL)",
    "CREATE TABLE word_keys (key INTEGER NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (key, word)) WITHOUT ROWID",
)

# ANALYZE tells SQLite in which order to join these tables.
TABLES_OF_PATTERNS = ("entities", "triples", "node_labels", "node_properties", "relationship_properties")

# These are created after the rows are inserted, because one sort is several times faster than random inserts.
TRIPLES_BACKWARDS = "CREATE INDEX triples_backwards ON triples (o, r, id, s)"
ENTITIES_BY_KEY = "CREATE UNIQUE INDEX entities_by_key ON entities (key)"
NODES_BY_VALUE = "CREATE INDEX nodes_by_value ON node_properties (key, value, entity)"
NODES_BY_LABEL = "CREATE INDEX labels_by_node ON node_labels (entity, label)"
