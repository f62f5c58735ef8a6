"""Turn the text in a slot of a trusted question into a value, or refuse it: near misses must not be served."""

import re

from services.retriever.planning.question_values import ValueForm, literal_values
from shared.graph.store import GraphStore
from shared.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from shared.plan.values import NodeRef, Value
from shared.text import normalise
from shared.trusted_questions import DATE, ENTITY, NUMBER, TEXT

_QUOTED = re.compile(r"""["“”'](.+)["“”']""")
_FORMS = {DATE: ValueForm.DATE, NUMBER: ValueForm.NUMBER}


async def linked(store: GraphStore, type_: str, text: str) -> tuple[Value, float] | None:
    """Return the value of a slot, and the probability that it is meant; None if the text is not of the type as a whole.

    A node is meant only if the text is its whole name or alias. Of several nodes with the name, each is as likely.
    """
    if type_ in _FORMS:
        values = [one.value for one in literal_values(text) if one.form is _FORMS[type_] and one.text == text]
        return (values[0], 1.0) if values else None
    if type_ == TEXT:
        quoted = _QUOTED.fullmatch(text)
        if quoted is None and " " in text:
            return None  # further words may be a condition that the plan does not have
        return (quoted[1] if quoted else text), 1.0
    [matches] = await store.entities_named([text])
    named = {match.entity.id: match.entity.name for match in matches}
    if type_ != ENTITY and named:
        plan = Plan((Match((NodePattern("n", (type_,), tuple(named)),)), Project((Column("n", Variable("n")),))))
        of_kind = {node.id for (node,) in (await store.run(plan)).rows if isinstance(node, NodeRef)}
        named = {id_: name for id_, name in named.items() if id_ in of_kind}
    if not named:
        return None
    exact = [name for name in named.values() if normalise(name) == normalise(text)] or list(named.values())
    return exact[0], 1 / len(named)
