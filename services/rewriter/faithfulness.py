"""Does a generated text say what its facts say, and no more than that? Checked without a model.

What is checked: every entity of the facts is named, those of a list once; no other name or number is; no relation is
turned round, as far as its words tell (`direction.py`); the text neither loops nor rambles.
What is not: whether a relation is said at all between two entities that are both named.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from services.rewriter.direction import turned_round
from shared.llm.formats import Fact
from shared.text import named, normalise, readable, times_named, without_possessives, words

_LONGEST_REPEAT = 12
_REPEATS = 3
_WORDS_A_FACT = 16
_SHORTEST_LIST = 3
_APOSTROPHES = "'’‘`´"
_STARTERS = frozenset(
    words("""
    a all also among an and another as at both but by cars each every for from furthermore he her his in it its many
    moreover most no of on one other others people several she some that the their there these they this those three
    two what when where which while who whose with
    """)
)
_SENTENCE_START = re.compile(r"(?:^|[.!?;:]\s+)[\"'(]*")
# Some accents stay signs of their own, whatever the letter is composed with.
_ACCENTS = "\u0300-\u036f"
_NAME_OR_NUMBER = re.compile(
    rf"(?<![\w{_ACCENTS}{_APOSTROPHES}])"
    rf"(?:[^\W\d_](?:[^\W_]|[{_ACCENTS}])*(?:[{_APOSTROPHES}][\w{_ACCENTS}]+)*|\d[\w.,]*)"
)


def faults(text: str, facts: Sequence[Fact]) -> list[str]:
    """What is wrong with a text, in words for a log; empty for a faithful one."""
    entities = _entities(facts)
    found = [f"does not name {name!r}" for name in unnamed(text, facts)]
    found += [f"names {name!r}, which is not in the facts" for name in _strangers(text, entities, facts)]
    found += [f"names {name!r} twice" for name in _twice(text, entities, facts)]
    found += [f"turns {relation!r} round" for relation in turned_round(text, facts)]
    said = words(text)
    if _loops(said, words(" ".join(entities))):
        found.append("repeats itself")
    if len(said) > _WORDS_A_FACT * len(facts) + 3 * sum(len(words(name)) for name in entities):
        found.append("is too long")
    return found


def unnamed(text: str, facts: Sequence[Fact]) -> list[str]:
    """The entities of the facts that a text does not name."""
    entities = _entities(facts)
    in_text = set(named(text, entities))
    return [name for name in entities if name not in in_text]


def _entities(facts: Sequence[Fact]) -> list[str]:
    return list(dict.fromkeys(name for fact in facts for name in (fact.subject, fact.object)))


def _twice(text: str, entities: Sequence[str], facts: Sequence[Fact]) -> list[str]:
    """Names of one fact in a list that the text gives again instead of another: `Monaco, Spain and Monaco`."""
    uses = Counter(normalise(name) for fact in facts for name in {fact.subject, fact.object})
    lists = Counter(fact.relation for fact in facts)
    listed = {name for fact in facts if lists[fact.relation] >= _SHORTEST_LIST for name in (fact.subject, fact.object)}
    times = times_named(text, entities)
    return [name for name in entities if times[name] > 1 and uses[normalise(name)] == 1 and name in listed]


def _strangers(text: str, entities: Sequence[str], facts: Sequence[Fact]) -> list[str]:
    composed = unicodedata.normalize("NFC", text)
    known = {word for name in entities for word in words(name)}
    known |= {word for fact in facts for word in (*words(readable(fact.relation)), *words(fact.relation))}
    starts = {match.end() for match in _SENTENCE_START.finditer(composed)}
    strangers = []
    for match in _NAME_OR_NUMBER.finditer(composed):
        name = match.group().rstrip(".,")
        if not (name[0].isupper() or name[0].isdigit()):
            continue
        # A sentence's first word has a capital even where it is no name.
        is_known = match.start() in starts and _is_starter(name)
        if not is_known and not any(known.issuperset(words(form)) for form in (name, without_possessives(name))):
            strangers.append(name)
    return strangers


def _is_starter(word: str) -> bool:
    """Whether a sentence may begin with a word though it names nothing: `The`, `Additionally`."""
    return word.lower() in _STARTERS or (word[0].isalpha() and word.endswith("ly"))


def _loops(said: Sequence[str], in_names: Sequence[str]) -> bool:
    """Whether some words follow themselves three times over, in a way that no name does."""
    return any(_repeated(said, length) and not _repeated(in_names, length) for length in range(1, _LONGEST_REPEAT + 1))


def _repeated(said: Sequence[str], length: int) -> bool:
    run = 0
    for here, before in zip(said[length:], said, strict=False):
        run = run + 1 if here == before else 0
        if run >= length * (_REPEATS - 1):
            return True
    return False
