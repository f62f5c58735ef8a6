"""Say which names of a question the graph lacks, and which it has that are much like them."""

from collections.abc import Sequence

from contracts.answers import ReplyWarning
from graph.store import GraphStore
from language.values import QuestionValue, ValueForm
from services.retriever.linking.suggestions import suggested_names

UNKNOWN_NAME = "unknown_name"
_MOST = 2


async def unknown_name(store: GraphStore, name: str) -> ReplyWarning:
    """Warn that the graph has no entity with a name, and suggest similar ones.

    Raises DependencyError if the store does not respond.
    """
    suggestions = " or ".join(await suggested_names(store, name))
    text = f"The graph has no entity named {name}{f'; did you mean {suggestions}?' if suggestions else '.'}"
    return ReplyWarning(kind=UNKNOWN_NAME, text=text)


async def unknown_names(store: GraphStore, values: Sequence[QuestionValue]) -> list[ReplyWarning]:
    """Warn of the first names of a question that the graph lacks: `Nadia Wern`, but no single word that may be no name.

    Args:
        store: The graph.
        values: The values that the question states, with the properties that hold them.

    Raises:
        DependencyError: The graph store does not respond.
    """
    names = [one.text for one in values if one.form is ValueForm.TEXT and not one.stored and " " in one.text]
    return [await unknown_name(store, name) for name in dict.fromkeys(names) if name[0].isupper()][:_MOST]
