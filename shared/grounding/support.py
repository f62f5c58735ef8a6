"""Is every word of a model's text supported by what the model was told? Checked without a model.

The names of the evidence are taken out of the text first. Each word that is left must be a form of a word of the names,
the relations or the question, stand for one of those (`vocabulary.ALIKE`), or belong to a closed list of English that
claims nothing by itself. Each number must be told, sign and all; a negation must be in the evidence. Why it is done
this way, and what it cannot see: docs/decisions/0001-supported-words.md.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from shared.exact_match import Mention, Token, composed, mentions, name_index, tokens
from shared.grounding.vocabulary import (
    ALIKE,
    FUNCTION_WORDS,
    NEGATIONS,
    NEUTRAL,
    NUMBERS,
    SPOKEN_TO,
    UNSPACED_PARTICLES,
)
from shared.text import readable, words
from shared.triple import Triple, entity_names

_LONGEST_REPEAT = 12
_REPEATS = 3
_SHORTEST_STEM = 4
_ENDING = 3
# After a full stop, and where a line begins: a list may have bullets or numbers.
_SENTENCE_START = re.compile(r"(?:^|[.!?;:]\s+|\n)[\s\"'“‘(*•-]*")
_LIST_NUMBER = re.compile(r"^([ \t]*)(\d{1,2})[.)](?=\s)", re.MULTILINE)


@dataclass(frozen=True)
class Told:
    """What a text may speak of. `names` of entities, `relations` as the graph spells them, `counts` of what is told."""

    names: tuple[str, ...]
    relations: tuple[str, ...]
    question: str = ""
    counts: frozenset[str] = frozenset()

    @classmethod
    def by_facts(cls, facts: Sequence[Triple]) -> "Told":
        """What facts alone tell; they also count: how many objects a subject has, how many subjects an object."""
        sizes = Counter(end for fact in facts for end in ((fact.subject, fact.relation), (fact.relation, fact.object)))
        relations = tuple(dict.fromkeys(fact.relation for fact in facts))
        return cls(tuple(entity_names(facts)), relations, counts=frozenset(map(str, sizes.values())))

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of the names: a text may shorten one."""
        return frozenset(name_index(self.names).keys)

    @cached_property
    def relation_words(self) -> frozenset[str]:
        """The words of the relations, of a dotted one (`film.film.directed_by`) of every part."""
        dotted = [part for relation in self.relations if "/" not in relation for part in relation.split(".")]
        return _keys(" \n ".join(map(readable, (*self.relations, *dotted))))

    @cached_property
    def topic_words(self) -> frozenset[str]:
        """The words of the relations and the question, and those that stand for them."""
        said = self.relation_words | _keys(self.question)
        spoken_to = {SPOKEN_TO[word] for word in said if word in SPOKEN_TO}
        return said | spoken_to | {other for word in said for other in ALIKE.get(word, ())}

    @cached_property
    def all_words(self) -> frozenset[str]:
        """Every word that was told, or stands for one that was."""
        return self.name_words | self.topic_words

    @cached_property
    def _by_beginning(self) -> dict[str, list[str]]:
        words_by: dict[str, list[str]] = defaultdict(list)
        for word in self.all_words - FUNCTION_WORDS:
            for beginning in {word[:_SHORTEST_STEM], _singular(word)}:
                words_by[beginning].append(word)
        return words_by

    def alike(self, word: str) -> Sequence[str]:
        """The words that were told, of which one may be a form."""
        known = self._by_beginning
        return [*known.get(word[:_SHORTEST_STEM], ()), *known.get(_singular(word), ())]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers that were told, with their signs."""
        told = tokens(" \n ".join((*map(readable, self.relations), self.question)))
        return self.counts | self.name_words | {token.value or token.key for token in told}


def unsupported(text: str, told: Told) -> list[tuple[str, str]]:
    """The words that nothing supports, each after what the text does with it: `names`, `says` or `negates with`."""
    text = _without_list_numbers(composed(text))
    said = tokens(text)
    named = [mention for mention in mentions(text, told.names) if not _negates(mention, said, text)]
    covered = {at for mention in named for at in range(mention.first, mention.last)}
    starts = {match.end() for match in _SENTENCE_START.finditer(text)}
    rest = [(at, token) for at, token in enumerate(said) if at not in covered]
    found = [
        fault
        for at, token in rest
        if (fault := _fault(token, text, token.start in starts, told, _beside(said, at))) is not None
    ]
    return list(dict.fromkeys(found))


def loops(text: str, names: Sequence[str]) -> bool:
    """Whether some words of a text follow themselves three times over, in a way that no name does."""
    said, in_names = words(text), words(" ".join(names))
    return any(_repeated(said, length) and not _repeated(in_names, length) for length in range(1, _LONGEST_REPEAT + 1))


def is_form_of(word: str, other: str) -> bool:
    """Whether two words are forms of one: `directed`, `director`."""
    if _singular(word) == _singular(other):
        return True
    shortest = min(len(word), len(other))
    needed = max(_SHORTEST_STEM, shortest - _ENDING)
    return shortest >= needed and word[:needed] == other[:needed] and abs(len(word) - len(other)) <= _ENDING + 1


def _singular(word: str) -> str:
    """The word without the ending of a plural or of the third person: `allies`, `eats`."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _fault(token: Token, text: str, starts: bool, told: Told, beside: Iterable[str]) -> tuple[str, str] | None:
    written = text[token.start : token.end]
    forms = {token.key, token.bare}
    if token.value or token.key.lstrip("-+<>≤≥±")[:1].isdigit():
        return None if {token.value or token.key, token.bare} & told.numbers else ("names", written)
    if forms & NEGATIONS:
        return None if forms & told.relation_words or _is_part_of_name(beside, told) else ("negates with", written)
    if token.key in NUMBERS and token.key not in NEUTRAL:
        return None if NUMBERS[token.key] in told.numbers or token.key in told.all_words else ("names", written)
    is_name = written[:1].isupper()
    if forms & told.all_words or token.key in UNSPACED_PARTICLES:
        return None
    if forms & NEUTRAL and (starts or not is_name):
        return None
    like = (told.topic_words, told.name_words)[: 1 if is_name and not starts else 2]
    if any(is_form_of(token.bare, other) for other in told.alike(token.bare) if any(other in some for some in like)):
        return None
    return ("names" if is_name else "says", written)


def _is_part_of_name(beside: Iterable[str], told: Told) -> bool:
    """Whether a character of an unspaced script stands beside one that it stands beside in a name: 非洲."""
    return any(pair in name for pair in beside for name in told.names)


def _negates(mention: Mention, said: Sequence[Token], text: str) -> bool:
    """Whether a mention is an ordinary negation rather than the name: `not`, where an entity is called Not."""
    is_negation = mention.last - mention.first == 1 and said[mention.first].key in NEGATIONS
    return is_negation and text[mention.start : mention.end] != composed(mention.name)


def _beside(said: Sequence[Token], at: int) -> Iterator[str]:
    """A character with the one before it, and with the one after it."""
    for first in (at - 1, at):
        pair = said[max(first, 0) : first + 2]
        if len(pair) == 2 and all(len(token.key) == 1 and not token.key.isascii() for token in pair):
            yield pair[0].key + pair[1].key


def _keys(text: str) -> frozenset[str]:
    return frozenset(key for token in tokens(text) for key in (token.key, token.bare))


def _without_list_numbers(text: str) -> str:
    """A text without the numbers that count the lines of a list, from 1; another number is a claim."""
    expected = 1

    def counted(match: re.Match[str]) -> str:
        nonlocal expected
        if int(match[2]) != expected:
            return match[0]
        expected += 1
        return match[1]

    return _LIST_NUMBER.sub(counted, text)


def _repeated(said: Sequence[str], length: int) -> bool:
    run = 0
    for here, before in zip(said[length:], said, strict=False):
        run = run + 1 if here == before else 0
        if run >= length * (_REPEATS - 1):
            return True
    return False
