"""Store knowledge graphs and query them.

`store.py` defines the `GraphStore` interface and its data types. `sqlite/` and `neo4j/` implement it, `opening.py`
chooses between them, and `name_matching.py` holds the name-matching rules that both follow.
"""
