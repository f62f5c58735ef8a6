"""Suggest names of the graph instead of one that it lacks, as `ask` finds them in a question."""

from itertools import chain

from graph.store import GraphStore, NameMatch
from language.english.name_spellings import other_spellings
from shared.errors import UnknownEntityError

_MAX_SUGGESTIONS = 3
_MAX_WORDS = 6
_MIN_LETTERS = 4


async def unknown_entity(store: GraphStore, name: str, otherwise: str) -> UnknownEntityError:
    """Return an error that suggests similar names; if there are none, it says what to do `otherwise`."""
    suggestions = " or ".join(map(repr, await suggested_names(store, name)))
    advice = f"did you mean {suggestions}?" if suggestions else otherwise
    return UnknownEntityError(f"the graph has no entity called {name!r}; {advice}")


async def suggested_names(store: GraphStore, name: str) -> list[str]:
    """Return up to three names that may be meant: short and misspelt ones, other spellings, and parts of the name.

    Raises DependencyError if the store does not respond.
    """
    [short] = await store.entities_by_short_name([name])
    [similar] = await store.entities_like([name])
    if found := _names([short, similar]):
        return found
    parts = _parts(name)
    if found := _names(await store.entities_named([*other_spellings(name), *parts])):
        return found
    return _names(await store.entities_like(parts))


def _names(matches: list[list[NameMatch]]) -> list[str]:
    return list(dict.fromkeys(match.name for match in chain(*matches)))[:_MAX_SUGGESTIONS]


def _parts(name: str) -> list[str]:
    """Return the runs of words within a name, longest first."""
    words = name.split()[:_MAX_WORDS]
    runs = (
        " ".join(words[first : first + count])
        for count in range(len(words) - 1, 0, -1)
        for first in range(len(words) - count + 1)
    )
    return [run for run in runs if len(run) >= _MIN_LETTERS]
