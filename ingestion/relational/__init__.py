"""Read tables that refer to each other, such as those of a database, as a property graph."""
