"""Query plans: their operators, types, checks, and the schema that they refer to."""
