"""Query a graph in a Neo4j database."""
