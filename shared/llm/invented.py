"""What a model's text says that nobody told it: names and numbers that it was not given, and words over and over."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from shared.llm.formats import Fact
from shared.text import readable, without_possessives, words

_LONGEST_REPEAT = 12
_REPEATS = 3
_APOSTROPHES = "'’‘`´"
_STARTERS = frozenset(
    words("""
    a according all also among an and another as at based both but by cars each every for from furthermore given he her
    here his i in it its many moreover most no of on one other others people several she since so some that the their
    there these they this those three to two what when where which while who whose with yes
    """)
)
# After a full stop, and where a line begins: a list may have bullets or numbers.
_SENTENCE_START = re.compile(r"(?:^|[.!?;:]\s+|\n)[\s\"'(*•-]*")
_LIST_NUMBER = re.compile(r"^\s*\d{1,2}[.)]\s", re.MULTILINE)
# Some accents stay signs of their own, whatever the letter is composed with.
_ACCENTS = "\u0300-\u036f"
_NAME_OR_NUMBER = re.compile(
    rf"(?<![\w{_ACCENTS}{_APOSTROPHES}])"
    rf"(?:[^\W\d_](?:[^\W_]|[{_ACCENTS}])*(?:[{_APOSTROPHES}][\w{_ACCENTS}]+)*|\d[\w.,]*)"
)


def strangers(text: str, known: Collection[str]) -> list[str]:
    """The words with a capital and the numbers of a text that are not among the `known` words, which are normalised.

    A sentence's first word has a capital even where it is no name: ordinary ones are left out. Names in scripts without
    capitals are not seen.
    """
    composed = unicodedata.normalize("NFC", _LIST_NUMBER.sub("", text))
    starts = {match.end() for match in _SENTENCE_START.finditer(composed)}
    given = frozenset(known)
    found = []
    for match in _NAME_OR_NUMBER.finditer(composed):
        name = match.group().rstrip(".,")
        if not (name[0].isupper() or name[0].isdigit()):
            continue
        is_known = match.start() in starts and _is_starter(name)
        if not is_known and not any(given.issuperset(words(form)) for form in (name, without_possessives(name))):
            found.append(name)
    return found


def words_of(facts: Sequence[Fact]) -> set[str]:
    """The normalised words of the facts' names and relations."""
    said = {text for fact in facts for text in (fact.subject, fact.object)}
    said |= {text for relation in {fact.relation for fact in facts} for text in (relation, readable(relation))}
    return {word for text in said for word in words(text)}


def loops(text: str, names: Sequence[str]) -> bool:
    """Whether some words of a text follow themselves three times over, in a way that no name does."""
    said, in_names = words(text), words(" ".join(names))
    return any(_repeated(said, length) and not _repeated(in_names, length) for length in range(1, _LONGEST_REPEAT + 1))


def _is_starter(word: str) -> bool:
    """Whether a sentence may begin with a word though it names nothing: `The`, `Additionally`."""
    return word.lower() in _STARTERS or (word[0].isalpha() and word.endswith("ly"))


def _repeated(said: Sequence[str], length: int) -> bool:
    run = 0
    for here, before in zip(said[length:], said, strict=False):
        run = run + 1 if here == before else 0
        if run >= length * (_REPEATS - 1):
            return True
    return False
