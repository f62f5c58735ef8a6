"""Keep to the nodes that whoever asks a question means by its names, although others may have the same names."""

from collections.abc import Collection, Mapping, Sequence

from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from graph.plan.values import NodeRef
from graph.store import Entity, GraphStore, NameMatch
from language.meant import Meant
from language.question import Question
from shared.errors import InvalidInputError, UnknownEntityError

_NODE = "entity"


async def with_meant_nodes(
    store: GraphStore, question: Question, means: Mapping[str, str], among: Sequence[str] = ()
) -> Question:
    """Return a question with the nodes that some of its names mean, and the only ones that it asks about, by their ids.

    Raises:
        InvalidInputError: The question lacks one of the names.
        UnknownEntityError: The graph has no node with one of the ids.
        DependencyError: The graph store does not respond.
    """
    if not means and not among:
        return question
    nodes = await nodes_with_ids(store, {*means.values(), *among})
    meant = question.meaning({name: Meant(id_, nodes[id_].name) for name, id_ in means.items()}, among)
    for name in means:
        if not question.has_apart(name):
            raise InvalidInputError(f"means: the question has no words {name!r}; write the name as the question does")
    return meant


async def nodes_with_ids(store: GraphStore, ids: Collection[str]) -> dict[str, NodeRef]:
    """Return the nodes with some ids, by their ids.

    Raises:
        UnknownEntityError: The graph has no node with one of the ids.
        DependencyError: The graph store does not respond.
    """
    plan = Plan((Match((NodePattern(_NODE, ids=tuple(ids)),)), Project((Column(_NODE, Variable(_NODE)),))))
    found = {node.id: node for (node,) in (await store.run(plan)).rows if isinstance(node, NodeRef)}
    for id_ in ids:
        if id_ not in found:
            raise UnknownEntityError(
                f"the graph has no entity with the id {id_!r}; ids change when a graph is imported"
            )
    return found


def meant_matches(question: Question, name: str, matches: Sequence[NameMatch]) -> list[NameMatch]:
    """Return the node that a name of a question means as its only match, or all matches if nobody says what it means.

    Example:
        >>> meant_matches(english("Who wrote It?").meaning({"It": Meant("f7", "It")}), "it", matches)
        [NameMatch(entity=Entity(id='f7', name='It'), ...)]
    """
    meant = question.meant_by(name)
    if meant is None:
        return list(matches)
    own = [one for one in matches if one.entity.id == meant.id]
    return own[:1] or [NameMatch(Entity(meant.id, meant.name), name, is_alias=False, distance=0, degree=0)]
