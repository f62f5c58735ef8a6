"""State evidence as text, by template."""

from collections.abc import Mapping, Sequence
from typing import Any

from services.retriever.execution.labels import aggregate_label
from services.retriever.execution.readable import readable_expression
from services.retriever.execution.runner_up import RunnerUp
from services.retriever.execution.stages import rename
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Comparison,
    Constant,
    Expression,
    Match,
    Property,
)
from shared.plan.values import NodeRef
from shared.text import readable
from shared.triple import Triple
from shared.verbalise.morphology import counted, plural, with_article
from shared.verbalise.template import as_counted, as_sentences, clause, join_names
from shared.verbalise.values import value_text

_STATED = (AggregateFunction.AVERAGE, AggregateFunction.SUM, AggregateFunction.MIN, AggregateFunction.MAX)


def evidence_text(
    relationships: Sequence[Triple],
    properties: Sequence[Triple],
    omitted: int,
    count: tuple[int, str] | None,
    sentences: Sequence[str],
) -> str:
    """Write the text of one item of evidence.

    Args:
        relationships: Facts that are relationships.
        properties: Facts that are properties.
        omitted: The number of further matches.
        count: How many of what were counted, if that is what the result states.
        sentences: Sentences that follow the facts.
    """
    counting = as_counted(*count, relationships, omitted) if count else None
    if counting is not None:
        return " ".join([counting, *([as_sentences(properties)] if properties else []), *sentences])
    facts = [*relationships, *properties]
    lead = [f"The number of {plural(count[1])} is {count[0]}."] if count and (count[0] != 1 or not facts) else []
    rest = [f"{counted(omitted, 'more match')} {'is' if omitted == 1 else 'are'} not listed."] if omitted else []
    return " ".join([*lead, *([as_sentences(facts)] if facts else []), *rest, *sentences])


def aggregate_sentence(aggregate: Aggregate, value: Any, labels: Mapping[str, str]) -> str | None:
    """State a sum, average, minimum, or maximum: `The average rating is 7.9.`"""
    if aggregate.function not in _STATED or value is None or aggregate.value is None:
        return None
    return f"The {aggregate_label(aggregate, labels)} is {value_text(value)}."


def absence_sentence(match: Match, row: Mapping[str, Any]) -> str:
    """State that a pattern does not match for the nodes of a row: `No fact states that Peru borders Germany.`"""
    named = {name: value.name for name, value in row.items() if isinstance(value, NodeRef)}
    if (known := _name_condition(match.where)) is not None:
        variable, name = known
        named.setdefault(variable, name)
    nouns = {node.variable: with_article(noun_of(node.kinds)) for node in match.nodes}
    for link in match.relationships:
        nouns.setdefault(link.source, "anything")
        nouns.setdefault(link.target, "anything")
    nouns |= named
    clauses = [
        clause((link.types or ("related_to",))[0], nouns[link.source], nouns[link.target])
        for link in match.relationships
    ]
    words = {node.variable: noun_of(node.kinds) for node in match.nodes if node.variable not in named}
    condition = rename(match, words | named).where if known is None else None
    where = f", where {readable_expression(condition)}" if condition is not None else ""
    if not clauses:
        return f"The graph does not have {join_names(list(dict.fromkeys(nouns.values())))}{where}."
    return f"No fact states that {join_names(clauses)}{where}."


def runner_up_sentence(found: RunnerUp) -> str:
    """State what follows the last row: `Next is France, with a population of 68.`"""
    if found.is_tie:
        return f"{found.name} has the same {join_names([label for label, _ in found.values])}."
    values = join_names([f"{with_article(label)} of {value_text(value)}" for label, value in found.values])
    return f"Next is {found.name}, with {values}."


def tie_text(found: RunnerUp) -> str:
    """Warn that the limit separates rows with equal sort keys."""
    values = join_names([f"{label}: {value_text(value)}" for label, value in found.values])
    return f"The limit cuts off rows that tie with the last one, such as {found.name} ({values})."


def noun_of(kinds: Sequence[str]) -> str:
    """Return the noun for nodes of these kinds."""
    return readable(kinds[0]) if kinds else "entity"


def _name_condition(where: Expression | None) -> tuple[str, str] | None:
    """Return the variable and the string of a condition such as `c.name = "Germany"`."""
    match where:
        case Comparison("=", Property(variable), Constant(str(text))):
            return variable, text
    return None
