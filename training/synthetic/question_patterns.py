"""Derive short question patterns from nothing but a relation's name, in every way people may refer to it.

People rarely word a question exactly so. A retriever trained on these patterns learns which words belong to which
relation, and that `A of the B of X` walks B first; its encoder already knows synonyms.
"""

import re

from shared.graph.store import split_step
from shared.text import readable
from training.synthetic.wording import QuestionPatterns

_AUXILIARIES = {"has", "have", "had", "is", "was"}
_PREPOSITIONS = {"in", "of", "at", "on", "from", "for", "to", "with"}
_PAST = re.compile(r".{2,}ed$")
_ARTICLES = re.compile(r"^(the|a|an) ")

# Patterns by the shape of the name, forwards and backwards; `{r}` stands for the name.
_NOUN = (
    QuestionPatterns(
        ("what is the {r} of {x}", "{r} of {x}", "which {r} does {x} have", "{x} {r}", "what {r} is {x}",
         "tell me the {r} for {x}", "what are the {r} of {x}", "who is the {r} of {x}", "who are the {r} in {x}",
         "{x} has what {r}", "what was the {r} for {x}", "what {r} are there in {x}"),
        ("the {r} of {x}", "the {r} in {x}", "{x} {r}", "the {r} that {x} has"),
    ),
    QuestionPatterns(
        ("what has {r} {x}", "which ones have {x} as {r}", "whose {r} is {x}", "list those with the {r} {x}",
         "{x} is the {r} of which ones", "what are the ones with {r} {x}", "which ones have the {r} {x}",
         "name some with {x} as their {r}", "which are {x} {r}", "what can be described by {r} {x}"),
        ("the ones with {r} {x}", "those whose {r} is {x}", "the ones with {x} as {r}", "those that have {x} as {r}",
         "the {x} ones"),
    ),
)  # fmt: skip
_BY = (
    QuestionPatterns(
        ("who {r} {x}", "who was {x} {r} by", "{x} was {r} by whom", "which person {r} {x}", "by whom was {x} {r}",
         "who is the one that {r} {x}", "{x} {r} by"),
        ("the one who {r} {x}", "whoever {r} {x}", "the person that {r} {x}", "who {r} {x}"),
    ),
    QuestionPatterns(
        ("what did {x} {r}", "what was {r} by {x}", "which ones were {r} by {x}", "what has {x} {r}", "{r} by {x}",
         "which ones did {x} {r}", "list everything {x} {r}", "{x} {r} which ones", "{x} was the one who {r} what"),
        ("the ones {r} by {x}", "those {r} by {x}", "what {x} {r}", "the ones that {x} {r}",
         "those that were {r} by {x}"),
    ),
)  # fmt: skip
_PREPOSITIONAL = (
    QuestionPatterns(
        ("what is {x} {r}", "{x} is {r} what", "where is {x} {r}", "what {x} {r}", "{x} {r}"),
        ("what {x} is {r}", "the one that {x} is {r}", "what {x} {r}"),
    ),
    QuestionPatterns(
        ("what is {r} {x}", "which ones are {r} {x}", "{r} {x}", "who {r} {x}", "list what {r} {x}"),
        ("the ones {r} {x}", "those that are {r} {x}", "what {r} {x}", "whoever {r} {x}"),
    ),
)
_PAST_VERB = (
    QuestionPatterns(
        ("who {r} in {x}", "what {r} in {x}", "{x} {r} who", "who {r} for {x}"),
        ("who {r} in {x}", "those who {r} in {x}"),
    ),
    QuestionPatterns(
        ("what did {x} {r} in", "{x} {r} in which ones", "which ones {r} {x}", "which ones has {x} {r} in"),
        ("the ones that {r} {x}", "those that {x} {r} in", "what {x} {r} in"),
    ),
)
# A path that walks a relation forth and back asks what shares something with the topic.
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


def step_patterns(step: str) -> QuestionPatterns:
    """Return every pattern for a step, by the shape of its relation's name.

    Example:
        >>> step_patterns("^directed_by").questions[:2]
        ('what did {x} directed', 'what was directed by {x}')
    """
    relation, backwards = split_step(step)
    words = _words(relation)
    if len(words) > 1 and words[-1] == "by":
        return _filled(_BY[backwards], words[:-1])
    if len(words) > 1 and words[-1] in _PREPOSITIONS:
        return _filled(_PREPOSITIONAL[backwards], words)
    if len(words) > 1 and words[0] in _PREPOSITIONS:
        words = words[1:]
    if len(words) > 1 and _PAST.match(words[0]):
        return _filled(_NOUN[backwards], words[1:]) + _filled(_PAST_VERB[backwards], words[:1])
    return _filled(_NOUN[backwards], words)


def sharing_questions(step: str) -> tuple[str, ...]:
    """Return the questions for what a step and its way back connect to the topic."""
    words = _words(split_step(step)[0])
    is_by = len(words) > 1 and words[-1] == "by"
    name = " ".join(words[:-1] if is_by else words)
    return tuple(pattern.replace("{r}", name) for pattern in (_SHARING_BY if is_by else _SHARING))


def _words(relation: str) -> list[str]:
    """Split a relation's name, without the auxiliary of `has_genre`."""
    words = readable(relation).split()
    return words[1:] if len(words) > 1 and words[0] in _AUXILIARIES else words


def _filled(patterns: QuestionPatterns, name: list[str]) -> QuestionPatterns:
    return patterns.filled({"r": _ARTICLES.sub("", " ".join(name))})
