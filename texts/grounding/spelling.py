"""Copy names into a text as the graph spells them: a model's `Inc-2003` becomes `INC-2003`."""

import re
from collections.abc import Collection, Iterator, Mapping

from shared.exact_match import Mention, composed, exact, mentions
from shared.text import words
from texts.grounding.hallucination_checks import NEUTRAL_WORDS

_NO_SPELLINGS: Mapping[str, str] = {}
_POSSESSIVE = re.compile(r"['’‘`]s\Z", re.IGNORECASE)


def copy_names(
    text: str, names: Collection[str], ordinary: Collection[str] = (), also: Mapping[str, str] = _NO_SPELLINGS
) -> str:
    """Replace each mention of a name by the name as the graph spells it.

    A mention that may stand for two names, such as `us` for `US` and `Us`, and a word such as `it`, which is rarely a
    name, stay as they are; `respelt_names` reports them.

    Args:
        text: What a model wrote.
        names: The names that it was given.
        ordinary: Words that a text may use in their own right: `capital`, although an entity is named Capital.
        also: The second spelling that a name may have, such as `66,987,244` for `66987244`.

    Example:
        >>> copy_names("Inc-2003 concerns checkout.", ["INC-2003", "Checkout"])
        'INC-2003 concerns Checkout.'
    """
    plain = composed(text)
    pieces, at = [], 0
    for mention, spellings in _as_names(plain, names, ordinary):
        written = plain[mention.start : mention.end]
        tail = _tail(written, spellings)
        if mention.start < at or written.removesuffix(tail) in {also.get(name) for name in spellings}:
            continue
        same = [name for name in spellings if composed(name) + tail == written]
        if len(candidates := same or spellings) == 1 and (same or not NEUTRAL_WORDS.issuperset(words(written))):
            pieces += [plain[at : mention.start], candidates[0], tail]
            at = _end_with_marks(plain, mention, candidates[0])
    return "".join([*pieces, plain[at:]]) if pieces else text


def respelt_names(
    text: str, names: Collection[str], ordinary: Collection[str] = (), also: Mapping[str, str] = _NO_SPELLINGS
) -> list[str]:
    """Return the mentions in a text that differ from the names; see `copy_names` for the arguments.

    Example:
        >>> respelt_names("Inc-2003 concerns Checkout.", ["INC-2003", "Checkout"])
        ['Inc-2003']
    """
    text = composed(text)
    found = []
    for mention, spellings in _as_names(text, names, ordinary):
        written = text[mention.start : mention.end]
        bare = written.removesuffix(_tail(written, spellings))
        if bare not in {form for name in spellings for form in (composed(name).strip(), also.get(name))}:
            found.append(written)
    return list(dict.fromkeys(found))


def _as_names(text: str, names: Collection[str], ordinary: Collection[str]) -> Iterator[tuple[Mention, list[str]]]:
    """Yield the mentions that are no ordinary words, each with the names that it may stand for."""
    by_key: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        by_key.setdefault(exact(name), []).append(name)
    for mention in mentions(text, names):
        written = text[mention.start : mention.end]
        if not (written.islower() and set(words(written)) <= set(ordinary)):
            yield mention, by_key[exact(mention.name)]


def _tail(written: str, spellings: Collection[str]) -> str:
    """Return the possessive ending of what is written, unless the names themselves end with it."""
    ending = _POSSESSIVE.search(written)
    return ending[0] if ending and not any(_POSSESSIVE.search(composed(name)) for name in spellings) else ""


def _end_with_marks(text: str, mention: Mention, name: str) -> int:
    """Return the end of a mention, including marks of the name that follow after a space, as in `5 %` for `5%`."""
    marks = re.search(r"[^\w\s.]*\Z", composed(name))
    after = re.compile(rf"\s?{re.escape(marks[0])}") if marks and marks[0] else None
    is_whole = text[mention.start : mention.end].endswith(marks[0]) if marks else True
    found = after.match(text, mention.end) if after and not is_whole else None
    return found.end() if found else mention.end
