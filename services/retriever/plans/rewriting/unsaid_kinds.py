"""Let a plan reach every kind that a relationship leads to if its question names none of them: `What does Ann own?`

The model has to choose where a relationship leads to several kinds, and people who do not name a kind mean all.
"""

from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    Column,
    HasKind,
    Match,
    NodePattern,
    Plan,
    Property,
    Variable,
)
from graph.plan.schema import GraphSchema
from graph.plan.traversal import conjunction, conjuncts, rename, rewrite, walk
from language.english.stems import stems_of
from language.question import Question
from services.retriever.plans.accounting.named_words import is_named
from services.retriever.plans.assembly.plan_variables import unused_name
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements

_NODE = "node"


def reaching_all_kinds(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan without the kinds that its question does not say, where relationships lead to others as well.

    The only relationship of such a node must lead to several kinds, and nothing else may be said about the node.
    """
    question, elements, schema = asked.question, asked.elements, asked.schema
    for step in plan.steps:
        if isinstance(step, Match) and not step.optional and len(step.nodes) > 1:
            for node in step.nodes:
                kind = _only_kind(step, node)
                if kind and not says_kind(kind, question, elements) and _has_others(step, node, kind, schema):
                    plan = _without_kind(plan, node.variable)
    return plan


def says_kind(kind: str, question: Question, elements: SchemaElements) -> bool:
    """Return whether a question names a kind."""
    return any(says_name(name, question) for name in (kind, *elements.synonyms.get(kind, ())))


def says_name(name: str, question: Question) -> bool:
    """Return whether a question has a word of the name of a schema element."""
    roots = stems_of(name)
    return any(is_named(root, roots) for root in question.roots)


def _only_kind(match: Match, node: NodePattern) -> str | None:
    """Return the only kind that a node may have."""
    tested = [one.kind for one in conjuncts(match.where) if isinstance(one, HasKind) and one.variable == node.variable]
    kinds = {*node.kinds, *tested}
    return kinds.pop() if len(kinds) == 1 else None


def _has_others(match: Match, node: NodePattern, kind: str, schema: GraphSchema) -> bool:
    """Return whether the only relationship of a node leads to nodes of other kinds, too."""
    links = [one for one in match.relationships if node.variable in (one.source, one.target)]
    if len(links) != 1 or len(links[0].types) != 1 or links[0].source == links[0].target:
        return False
    [link], types = links, schema.relationships
    far = link.target if link.source == node.variable else link.source
    far_kinds = next((one.kinds for one in match.nodes if one.variable == far), ())
    ends = types[link.types[0]].ends if link.types[0] in types else frozenset()
    is_source = link.source == node.variable
    found = {
        (source if is_source else target)
        for source, target in ends
        if not far_kinds or (target if is_source else source) in far_kinds
    }
    return kind in found and len(found) > 1


def _without_kind(plan: Plan, variable: str) -> Plan:
    """Drop the kind of a node about which nothing else is said, and give it a name that fits any kind."""
    parts = list(walk(plan))
    if any(isinstance(part, Property) and part.variable == variable for part in parts):
        return plan
    used = {part.variable for part in parts if isinstance(part, NodePattern)}
    new = variable if variable.startswith(_NODE) else unused_name(_NODE, used)

    def replacement(part: Any) -> Any:
        match part:
            case Match():
                kept = [one for one in conjuncts(part.where) if not _tests(one, variable)]
                nodes = (replace(one, kinds=()) if one.variable == variable else one for one in part.nodes)
                where = conjunction([rewrite(one, replacement) for one in kept])
                return replace(part, nodes=tuple(nodes), where=where)
            case Column(name=name, value=Variable(name=inner)) if inner == name == variable:
                return replace(part, name=new)
        return None

    return rename(rewrite(plan, replacement), {variable: new})


def _tests(condition: Any, variable: str) -> bool:
    return isinstance(condition, HasKind) and condition.variable == variable
