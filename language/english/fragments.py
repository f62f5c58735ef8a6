"""Read questions that leave out what the one before them says, such as `And for Biscuit?` or `What about Germany?`."""

import re

from language.conversation import Fragment
from language.english.lexicon import words_of_class
from language.english.marks import PATTERNS
from language.english.references import references
from language.marks import Mark

_PREPOSITION = rf"(?:(?P<preposition>{'|'.join(sorted(words_of_class('topic preposition')))})\s+)?"
_ABOUT = re.compile(rf"^(?:what|how)\s+about\s+{_PREPOSITION}(?P<name>[^?\s][^?]{{0,99}}?)\s*\??$", re.IGNORECASE)
_BARE = re.compile(rf"^{_PREPOSITION}(?P<name>[^?\s][^?]{{0,59}}?)\s*\??$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_QUESTION_WORDS = words_of_class("begins question")
_MAX_BARE_WORDS = 5


def fragment(text: str) -> Fragment | None:
    """Return what a question without a verb is about, or None if it has one.

    Example:
        >>> fragment("And in Germany?")
        Fragment(name='Germany', preposition='in', noun='Germany', has_pronoun=False)
    """
    core = PATTERNS[Mark.CONTINUES].sub("", text).strip()
    if about := _ABOUT.match(core):
        return _fragment(about)
    bare = _BARE.match(core)
    if bare is None or core == text.strip():
        return None
    words = bare["name"].lower().split()
    return _fragment(bare) if len(words) <= _MAX_BARE_WORDS and words[0] not in _QUESTION_WORDS else None


def _fragment(found: re.Match[str]) -> Fragment:
    name, preposition = found["name"], (found["preposition"] or "").lower()
    pronoun = next((one for one in references(name) if one.noun is None and one.start == 0), None)
    noun = name[pronoun.end :].strip() if pronoun else _ARTICLE.sub("", name)
    return Fragment(name, preposition, noun, pronoun is not None)
