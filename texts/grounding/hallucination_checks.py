"""Check, without a second model, that generated text makes no claims beyond its source.

The checks first set aside the names of the evidence. Each remaining word must be a form of a word in the relations or
the question, be a synonym of such a word, or belong to the English words that make no claim on their own
(`language/english/lexicon.toml`). A part of a name is no support, because parts of two names make a third. A number
must occur in the source with the same sign, and a negation must occur in the evidence.
docs/decisions/0001-supported-words.md explains this choice and its limits.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from language.english.lexicon import words_of_class
from language.english.measures import unit_of
from language.english.morphology import SHORTEST_STEM, is_form_of, without_s
from language.english.number_words import SMALL_NUMBERS
from language.english.relation_words import in_words
from language.english.synonyms import SYNONYMS
from shared.exact_match import Mention, Token, composed, mentions, named, tokens
from shared.text import readable, words
from shared.triple import Triple, entity_names

_FUNCTION_WORDS = words_of_class("neutral")
_MOST_IN_WORDS = 20
# Words that add no claim to the names and relations around them.
NEUTRAL_WORDS = _FUNCTION_WORDS | words_of_class("reporting") | words_of_class("kind of thing")
# Words that reverse a claim or cast doubt on it. Only the evidence can support them, never the question.
_NEGATIONS = words_of_class("negation")
# An answer addresses a user who says `I` as `you`.
_SECOND_PERSON = {"i": "you", "me": "you", "my": "your", "mine": "yours", "we": "you", "us": "you", "our": "your"}
_NUMBERS = {word: str(number) for word, number in SMALL_NUMBERS.items() if number <= _MOST_IN_WORDS}
_UNSPACED_PARTICLES = frozenset("的是在和与與及為为有了之也以于於到这這那個个們们のはがをにともです")

# One to twelve words that occur three times in a row.
_LOOPS = [re.compile(rf"(?<!\S)(\S++(?: \S++){{{more}}}) \1 \1(?!\S)") for more in range(12)]
# Sentences start after punctuation, and at the beginning of a line, where a list item may have a bullet or a number.
_SENTENCE_START = re.compile(r"(?:^|[.!?;:]\s+|\n)[\s\"'“‘(*•-]*")
_ENDING = re.compile("['’‘`]s", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"^([ \t]*)(\d{1,2})[.)](?=\s)", re.MULTILINE)
_MARKUP = re.compile(
    r"""
    (?P<markup> <[/!?|]?[a-zA-Z] | &(?:\#\w+|\w+); )
    | (?P<code> `+ )
    | (?P<link>
        !\[ | \][(\[:]
      | [a-zA-Z][a-zA-Z0-9+.-]{0,20}://\S*
      | \b(?:www\.|mailto:|javascript:|data:|tel:)\S+
      | [\w.+-]{1,64}@[\w-]{1,63}\.\w+
      | \b[\w-]{2,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,63}\b(?:/\S*)?
    )
    """,
    re.VERBOSE,
)
# Control and format characters, lone surrogates, private use, and line and paragraph separators.
_CONTROL_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_ALLOWED_CONTROLS = "\t\n\r"


@dataclass(frozen=True)
class Source:
    """Hold what a model was given; its text may say nothing beyond this.

    `relations` are spelled as in the graph. `counts` are further numbers that the text may state.
    """

    names: tuple[str, ...]
    relations: tuple[str, ...]
    question: str = ""
    counts: frozenset[str] = frozenset()

    @classmethod
    def from_facts(cls, facts: Sequence[Triple]) -> "Source":
        """Create a source from facts; a text may also say how many objects a subject has, or subjects an object has."""
        sizes = Counter(end for fact in facts for end in ((fact.subject, fact.relation), (fact.relation, fact.object)))
        relations = tuple(dict.fromkeys(fact.relation for fact in facts))
        return cls(tuple(entity_names(facts)), relations, counts=frozenset(map(str, sizes.values())))

    @cached_property
    def relation_words(self) -> frozenset[str]:
        """Return the words of the relations and of their units, with each part of `film.film.directed_by`.

        Abbreviations are written out.
        """
        dotted = [part for relation in self.relations if "/" not in relation for part in relation.split(".")]
        names = (*self.relations, *dotted)
        return _keys(" \n ".join([*map(in_words, names), *map(unit_of, self.relations)]))

    @cached_property
    def topic_words(self) -> frozenset[str]:
        """Return the words of the relations and the question, with their synonyms."""
        given = self.relation_words | _keys(self._question_around_names)
        second_person = {_SECOND_PERSON[word] for word in given if word in _SECOND_PERSON}
        return given | second_person | {synonym for word in given for synonym in SYNONYMS.get(word, ())}

    @cached_property
    def _question_around_names(self) -> str:
        """Return the question without the names in it, because a form of a word in a name is another name."""
        rest = composed(self.question)
        for mention in reversed(mentions(rest, self.names)):
            rest = f"{rest[: mention.start]} \n {rest[mention.end :]}"
        return rest

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Return the numbers that the text may state, with their signs."""
        given = tokens(" \n ".join((*map(readable, self.relations), self.question)))
        return self.counts | {token.value or token.key for token in given}

    def forms_of(self, word: str) -> list[str]:
        """Return the `topic_words` that may be other forms of `word`."""
        found = self._by_beginning
        candidates = [*found.get(word[:SHORTEST_STEM], ()), *found.get(without_s(word), ())]
        return [candidate for candidate in candidates if is_form_of(word, candidate)]

    @cached_property
    def _by_beginning(self) -> dict[str, list[str]]:
        words_by: dict[str, list[str]] = defaultdict(list)
        for word in self.topic_words - _FUNCTION_WORDS:
            for beginning in {word[:SHORTEST_STEM], without_s(word)}:
                words_by[beginning].append(word)
        return words_by


def find_hallucinations(text: str, source: Source, claims: str | None = None) -> list[str]:
    """Return what a text says beyond its source, as one phrase per problem.

    `claims` is the part of the text to check word by word; by default, the whole text.

    Example:
        >>> find_hallucinations("Spain borders Mars.", Source(("Spain", "France"), ("borders",)))
        ["names 'Mars', which is not in the evidence"]
    """
    unsupported = unsupported_words(text if claims is None else claims, source)
    problems = [f"{verb} {word!r}, which is not in the evidence" for verb, word in unsupported]
    problems += markup(text, source.names)
    # Most texts contain no loop at all, and finding the names takes far longer than finding a loop.
    if has_loop(text, ()) and has_loop(text, named(text, source.names)):
        problems.append("repeats itself")
    return problems


def unsupported_words(text: str, source: Source) -> list[tuple[str, str]]:
    """Return the words that the source does not support, each with a verb: `names`, `says`, or `negates with`."""
    text = _without_list_numbers(composed(text))
    said = tokens(text)
    spans = [mention for mention in mentions(text, source.names) if not _is_negation(mention, said, text)]
    covered = {at for mention in spans for at in range(mention.first, mention.last + _has_ending(mention, said, text))}
    starts = {match.end() for match in _SENTENCE_START.finditer(text)}
    found = [
        (verb, text[token.start : token.end])
        for at, token in enumerate(said)
        if at not in covered
        and (verb := _objection(token, text, token.start in starts, source, _unspaced_pairs(said, at)))
    ]
    return list(dict.fromkeys(found))


def markup(text: str, names: Sequence[str]) -> list[str]:
    """Return one phrase per kind of link, markup, or control character in a text, except those within a name.

    A browser, a terminal, or another model that reads the text might act on them.
    """
    # A sentence's own punctuation may follow a link.
    marked = [(m.lastgroup, m.start(), m.start() + len(m[0].rstrip(".,;:!?)'\""))) for m in _MARKUP.finditer(text)]
    with_markup = [name for name in names if marked and _MARKUP.search(name)]
    in_names = [match.span() for name in with_markup for match in re.finditer(re.escape(name), text, re.IGNORECASE)]
    found = [
        f"contains {'a link' if kind == 'link' else kind}"
        for kind, start, end in marked
        if not any(first <= start and end <= last for first, last in in_names)
    ]
    controls = {c for c in text if unicodedata.category(c) in _CONTROL_CATEGORIES and c not in _ALLOWED_CONTROLS}
    if controls and not controls.issubset("".join(names)):
        found.append("contains control characters")
    return list(dict.fromkeys(found))


def has_loop(text: str, names: Sequence[str]) -> bool:
    """Return whether words occur three times in a row in a text, but not in the names."""
    said = " ".join(words(text))
    loops = [loop for loop in _LOOPS if loop.search(said)]
    in_names = " ".join(words(" ".join(names))) if loops else ""
    return any(not loop.search(in_names) for loop in loops)


def _objection(token: Token, text: str, is_start: bool, source: Source, pairs: Iterable[str]) -> str:
    """Return the verb that describes an unsupported word, or the empty string for a supported one."""
    forms = {token.key, token.bare}
    if token.value or token.key.lstrip("-+<>≤≥±")[:1].isdigit():
        return "" if {token.value or token.key, token.bare} & source.numbers else "names"
    if forms & _NEGATIONS:
        # In a script without spaces, a character that negates may also be part of a name, as in 非洲 (Africa).
        is_in_name = any(pair in name for pair in pairs for name in source.names)
        return "" if forms & source.relation_words or is_in_name else "negates with"
    if token.key in _NUMBERS and token.key not in NEUTRAL_WORDS:
        return "" if _NUMBERS[token.key] in source.numbers or token.key in source.topic_words else "names"
    is_capitalized = text[token.start : token.end][:1].isupper()
    if forms & source.topic_words or token.key in _UNSPACED_PARTICLES:
        return ""
    if forms & NEUTRAL_WORDS and (is_start or not is_capitalized):
        return ""
    # A capitalised word within a sentence is a name, and a form of a word is another name: `Supply` for `supplies`.
    if is_capitalized and not is_start:
        return "names"
    if not source.topic_words.isdisjoint(source.forms_of(token.bare)):
        return ""
    return "names" if is_capitalized else "says"


def _has_ending(mention: Mention, said: Sequence[Token], text: str) -> bool:
    """Return whether the next token is the possessive ending of a name that ends with a mark, as in `U.S.A.'s`."""
    return mention.last < len(said) and bool(_ENDING.fullmatch(text[mention.end : said[mention.last].end]))


def _is_negation(mention: Mention, said: Sequence[Token], text: str) -> bool:
    """Return whether a mention is an ordinary negation rather than a name, such as `not` if an entity is called Not."""
    is_word = mention.last - mention.first == 1 and said[mention.first].key in _NEGATIONS
    return is_word and text[mention.start : mention.end] != composed(mention.name)


def _unspaced_pairs(said: Sequence[Token], at: int) -> Iterator[str]:
    """Pair a character of a script without spaces with the one before it, and with the one after it."""
    for first in (at - 1, at):
        pair = said[max(first, 0) : first + 2]
        if len(pair) == 2 and all(len(token.key) == 1 and not token.key.isascii() for token in pair):
            yield pair[0].key + pair[1].key


def _keys(text: str) -> frozenset[str]:
    return frozenset(key for token in tokens(text) for key in (token.key, token.bare))


def _without_list_numbers(text: str) -> str:
    """Remove the numbers of list items, which count up from 1; any other number is a claim."""
    expected = 1

    def removed(match: re.Match[str]) -> str:
        nonlocal expected
        if int(match[2]) != expected:
            return match[0]
        expected += 1
        return match[1]

    return _LIST_NUMBER.sub(removed, text)
