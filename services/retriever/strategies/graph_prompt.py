"""Ask for a Cypher query over the part of a graph that a question needs, in training as in serving."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from language.question import Question
from services.retriever.linking.selection import LinkedTopic
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.pruned_schema import identifier, prune, schema_text
from services.retriever.strategies.query_grammar import query_grammar
from services.retriever.strategies.query_prompt import query_prompt


@dataclass(frozen=True, slots=True)
class GraphPrompt:
    """Hold a prompt, the texts in it whose spelling the model may copy, and the grammar of the queries, if any."""

    text: str
    sources: tuple[str, ...]
    grammar: str | None


async def graph_prompt(question: Question, topics: Sequence[LinkedTopic], view: GraphView) -> GraphPrompt:
    """Write the prompt for a question.

    Args:
        question: The question.
        topics: The entities that the question may name.
        view: The graph.

    Raises:
        DependencyError: The graph store does not respond.
    """
    kinds = await view.kinds_of([topic.entity for topic in topics]) if topics else {}
    pruned = prune(view.schema, question, set(kinds.values()))
    schema = schema_text(pruned)
    names = [_pattern(topic, kinds.get(topic.entity.id), view) for topic in topics]
    return GraphPrompt(
        query_prompt(question.text, schema, names), (schema, *names, question.text), query_grammar(pruned)
    )


def _pattern(topic: LinkedTopic, kind: str | None, view: GraphView) -> str:
    """Write a node that the question may name as a pattern."""
    described = view.schema.kinds.get(kind or "")
    key = (described.name_property if described else None) or "name"
    label = f":{identifier(kind)} " if kind else ""
    name = json.dumps(topic.entity.name, ensure_ascii=False)  # Cypher has the same escapes
    return f"({label}{{{identifier(key)}: {name}}})"
