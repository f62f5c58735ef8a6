"""Define what every rule about plans says of itself, so that it can be listed, tested, measured, and turned off."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """Hold an example of a rule, which is its test.

    Attributes:
        schema: The graph, as patterns of Cypher with the types of properties, one a line: `(:Job {cost: INTEGER})`,
            `(:Person)-[:DID {day: DATE}]->(:Job)`; text properties that name nodes are called `name`.
        question: The question.
        plan: The plan as predicted, in Cypher.
        becomes: The plan that a rewrite makes of it, in Cypher; None for a doubt.
    """

    schema: str
    question: str
    plan: str
    becomes: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Describe a rule about plans.

    Attributes:
        name: The name by which it is listed, and turned off: words in lower case, joined by hyphens.
        looks_at: What it looks at, in a few words: `the question's ordinal, and the plan's order`.
        does: What it does, beginning with a verb.
        example: Where it applies.
    """

    name: str
    looks_at: str
    does: str
    example: Example
