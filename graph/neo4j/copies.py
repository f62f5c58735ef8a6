"""Name what `kgqa import --to neo4j` adds to the nodes and relationships of a graph file that it copies.

Schemas and results leave out these labels and properties, because they are not part of the graph.
"""

# All nodes of a copy have this label, and only they do.
ENTITY_LABEL = "KgqaEntity"
# The first node of a finished copy has this label, and the version of the graph.
FINISHED_LABEL, VERSION = "KgqaCopy", "kgqa_version"
# The label of a node that records the progress of an unfinished copy.
PROGRESS_LABEL = "KgqaImport"
OWN_LABELS = (ENTITY_LABEL, FINISHED_LABEL, PROGRESS_LABEL)

# A node's key in the file, its name, its aliases, and the normalised forms of all names. The full-text index contains
# normalised names, because it can split only these into the right words.
KEY, NAME, ALIASES, NORMALISED = "kgqa_key", "kgqa_name", "kgqa_aliases", "kgqa_names"
# The row id in the file of a node or relationship, by which results are sorted.
PLACE = "kgqa_place"
OWN_PROPERTIES = (KEY, NAME, ALIASES, NORMALISED, PLACE, VERSION)
