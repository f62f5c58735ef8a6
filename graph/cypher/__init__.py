"""Read Cypher queries as query plans."""
