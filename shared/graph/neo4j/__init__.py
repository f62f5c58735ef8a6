"""The production graph store: Neo4j, as its owner keeps it."""
