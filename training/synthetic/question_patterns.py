"""Derive patterns for short questions from the name of a relation alone.

Few people use exactly these wordings. A retriever trained on them still learns which words belong to which relation,
and that `A of the B of X` means walking B first. Its pretrained encoder already knows the synonyms.
"""

import re
import tomllib
from pathlib import Path

from pydantic import TypeAdapter

from graph.store import split_step
from shared.text import readable
from training.synthetic.wording import QuestionPatterns

_AUXILIARIES = {"has", "have", "had", "is", "was"}
_PREPOSITIONS = {"in", "of", "at", "on", "from", "for", "to", "with"}
_PAST = re.compile(r".{2,}ed$")
_ARTICLES = re.compile(r"^(the|a|an) ")

_PATTERNS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_SHARING: dict[str, list[str]] = _PATTERNS.pop("sharing")
_BY_SHAPE = TypeAdapter(dict[str, tuple[QuestionPatterns, QuestionPatterns]]).validate_python(_PATTERNS)
"""Patterns for walking a relation forwards and backwards, by the form of its name."""


def step_patterns(step: str) -> QuestionPatterns:
    """Return all patterns for a step, chosen by the form of its relation's name.

    Example:
        >>> step_patterns("^directed_by").questions[:2]
        ('what did {x} directed', 'what was directed by {x}')
    """
    relation, backwards = split_step(step)
    words = _words(relation)
    if len(words) > 1 and words[-1] == "by":
        return _filled(_BY_SHAPE["by"][backwards], words[:-1])
    if len(words) > 1 and words[-1] in _PREPOSITIONS:
        return _filled(_BY_SHAPE["prepositional"][backwards], words)
    if len(words) > 1 and words[0] in _PREPOSITIONS:
        words = words[1:]
    if len(words) > 1 and _PAST.match(words[0]):
        return _filled(_BY_SHAPE["noun"][backwards], words[1:]) + _filled(_BY_SHAPE["past_verb"][backwards], words[:1])
    return _filled(_BY_SHAPE["noun"][backwards], words)


def sharing_questions(step: str) -> tuple[str, ...]:
    """Return questions for the entities that share a value with the topic, reached by a step and its inverse."""
    words = _words(split_step(step)[0])
    is_by = len(words) > 1 and words[-1] == "by"
    name = " ".join(words[:-1] if is_by else words)
    return tuple(pattern.replace("{r}", name) for pattern in _SHARING["by" if is_by else "noun"])


def _words(relation: str) -> list[str]:
    """Split a relation's name into words, dropping a leading auxiliary such as the `has` in `has_genre`."""
    words = readable(relation).split()
    return words[1:] if len(words) > 1 and words[0] in _AUXILIARIES else words


def _filled(patterns: QuestionPatterns, name: list[str]) -> QuestionPatterns:
    return patterns.filled({"r": _ARTICLES.sub("", " ".join(name))})
