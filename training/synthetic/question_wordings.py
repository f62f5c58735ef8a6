"""What people may call a relation: patterns of English questions made from nothing but a relation's name.

Nobody words a question quite so. But a model that has read them knows which words belong to which relation, and that
`A of the B of X` walks B first; the encoder knows the words that mean the same.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from shared.graph.store import inverse_step, split_step
from shared.text import readable

X = "{x}"
_HAVING = {"has", "have", "had", "is", "was"}
_PREPOSITIONS = {"in", "of", "at", "on", "from", "for", "to", "with"}
_PAST = re.compile(r".{2,}ed$")
_ARTICLES = re.compile(r"^(the|a|an) ")

# Patterns by what the name is like. `asking` are whole questions, `naming` stand for what a step reaches, inside one.
_NOUN_FORWARDS = (
    "what is the {r} of {x}", "{r} of {x}", "which {r} does {x} have", "{x} {r}", "what {r} is {x}",
    "tell me the {r} for {x}", "what are the {r} of {x}", "who is the {r} of {x}", "who are the {r} in {x}",
    "{x} has what {r}", "what was the {r} for {x}", "what {r} are there in {x}",
)  # fmt: skip
_NOUN_BACKWARDS = (
    "what has {r} {x}", "which ones have {x} as {r}", "whose {r} is {x}", "list those with the {r} {x}",
    "{x} is the {r} of which ones", "what are the ones with {r} {x}", "which ones have the {r} {x}",
    "name some with {x} as their {r}", "which are {x} {r}", "what can be described by {r} {x}",
)  # fmt: skip
_NOUN_NAMED = ("the {r} of {x}", "the {r} in {x}", "{x} {r}", "the {r} that {x} has")
_NOUN_NAMED_BACKWARDS = (
    "the ones with {r} {x}", "those whose {r} is {x}", "the ones with {x} as {r}", "those that have {x} as {r}",
    "the {x} ones",
)  # fmt: skip
_BY_FORWARDS = (
    "who {r} {x}", "who was {x} {r} by", "{x} was {r} by whom", "which person {r} {x}", "by whom was {x} {r}",
    "who is the one that {r} {x}", "{x} {r} by",
)  # fmt: skip
_BY_BACKWARDS = (
    "what did {x} {r}", "what was {r} by {x}", "which ones were {r} by {x}", "what has {x} {r}", "{r} by {x}",
    "which ones did {x} {r}", "list everything {x} {r}", "{x} {r} which ones", "{x} was the one who {r} what",
)  # fmt: skip
_BY_NAMED = ("the one who {r} {x}", "whoever {r} {x}", "the person that {r} {x}", "who {r} {x}")
_BY_NAMED_BACKWARDS = (
    "the ones {r} by {x}", "those {r} by {x}", "what {x} {r}", "the ones that {x} {r}", "those that were {r} by {x}",
)  # fmt: skip
_PLACE_FORWARDS = ("what is {x} {r}", "{x} is {r} what", "where is {x} {r}", "what {x} {r}", "{x} {r}")
_PLACE_BACKWARDS = ("what is {r} {x}", "which ones are {r} {x}", "{r} {x}", "who {r} {x}", "list what {r} {x}")
_PLACE_NAMED = ("what {x} is {r}", "the one that {x} is {r}", "what {x} {r}")
_PLACE_NAMED_BACKWARDS = ("the ones {r} {x}", "those that are {r} {x}", "what {r} {x}", "whoever {r} {x}")
_DOING_FORWARDS = ("who {r} in {x}", "what {r} in {x}", "{x} {r} who", "who {r} for {x}")
_DOING_BACKWARDS = ("what did {x} {r} in", "{x} {r} in which ones", "which ones {r} {x}", "which ones has {x} {r} in")
_DOING_NAMED = ("who {r} in {x}", "those who {r} in {x}")
_DOING_NAMED_BACKWARDS = ("the ones that {r} {x}", "those that {x} {r} in", "what {x} {r} in")
# There and back again: what shares something with the topic.
_SHARING = (
    "which ones have the same {r} as {x}", "what else has the {r} of {x}", "the ones that share {r} with {x}",
    "which others also have the {r} of {x}", "ones with the same {r} as {x}", "who shares {r} with {x}",
    "{x} and which others have the same {r}", "who is the {r} together with {x}", "co-{r} of {x}",
    "what else did the {r} of {x} do", "others by the {r} of {x}",
)  # fmt: skip
_SHARING_BY = (
    "what else was {r} by the one who {r} {x}", "which ones were {r} by the same person as {x}",
    "what else did the one who {r} {x} do", "others {r} by whoever {r} {x}", "what did the one who {r} {x} also {r}",
    "who {r} together with {x}", "who else {r} with {x}", "{x} {r} together with whom", "who co-{r} with {x}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wordings:
    """Patterns with `{x}` in them for one step: whole questions, and names of what it reaches."""

    asking: tuple[str, ...]
    naming: tuple[str, ...]


def wordings(step: str) -> Wordings:
    """All that a step may be called, by the shape of its relation's name."""
    relation, backwards = split_step(step)
    words = _bare(relation)
    if len(words) > 1 and words[-1] == "by":
        return _filled(" ".join(words[:-1]), backwards, _BY_FORWARDS, _BY_BACKWARDS, _BY_NAMED, _BY_NAMED_BACKWARDS)
    if len(words) > 1 and words[-1] in _PREPOSITIONS:
        phrase = " ".join(words)
        places = (_PLACE_FORWARDS, _PLACE_BACKWARDS, _PLACE_NAMED, _PLACE_NAMED_BACKWARDS)
        return _filled(phrase, backwards, *places)
    if len(words) > 1 and words[0] in _PREPOSITIONS:
        words = words[1:]
    nouns = (_NOUN_FORWARDS, _NOUN_BACKWARDS, _NOUN_NAMED, _NOUN_NAMED_BACKWARDS)
    if len(words) > 1 and _PAST.match(words[0]):
        doing = (_DOING_FORWARDS, _DOING_BACKWARDS, _DOING_NAMED, _DOING_NAMED_BACKWARDS)
        return _joined(
            _filled(" ".join(words[1:]), backwards, *nouns),
            _filled(words[0], backwards, *doing),
        )
    return _filled(" ".join(words), backwards, *nouns)


def reworded(path: tuple[str, ...], choose: Callable[[tuple[str, ...]], str]) -> str:
    """A question along a path, with `{x}` where the topic belongs; `choose` picks one of several patterns."""
    if len(path) == 2 and path[1] == inverse_step(path[0]):
        return choose(_sharing(path[0]) + _composed(path, choose))
    return choose(_composed(path, choose))


def _composed(path: tuple[str, ...], choose: Callable[[tuple[str, ...]], str]) -> tuple[str, ...]:
    inner = X
    for step in path[:-1]:
        inner = choose(wordings(step).naming).replace(X, inner)
    return tuple(pattern.replace(X, inner) for pattern in wordings(path[-1]).asking)


def _sharing(step: str) -> tuple[str, ...]:
    words = _bare(split_step(step)[0])
    is_by = len(words) > 1 and words[-1] == "by"
    name = " ".join(words[:-1] if is_by else words)
    return tuple(pattern.replace("{r}", name) for pattern in (_SHARING_BY if is_by else _SHARING))


def _bare(relation: str) -> list[str]:
    """The words of a relation's name without the `has` of `has_genre`."""
    words = readable(relation).split()
    return words[1:] if len(words) > 1 and words[0] in _HAVING else words


def _filled(
    name: str,
    backwards: bool,
    forwards_asking: tuple[str, ...],
    backwards_asking: tuple[str, ...],
    forwards_naming: tuple[str, ...],
    backwards_naming: tuple[str, ...],
) -> Wordings:
    asking, naming = (backwards_asking, backwards_naming) if backwards else (forwards_asking, forwards_naming)
    bare = _ARTICLES.sub("", name)
    return Wordings(
        tuple(pattern.replace("{r}", bare) for pattern in asking),
        tuple(pattern.replace("{r}", bare) for pattern in naming),
    )


def _joined(one: Wordings, other: Wordings) -> Wordings:
    return Wordings(one.asking + other.asking, one.naming + other.naming)
