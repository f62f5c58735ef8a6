"""Inflect phrases, and derive the grammatical form of a relation from its name.

The functions rely on spelling alone. They use no dictionary, no tagger, and no knowledge of a particular graph.
"""

from dataclasses import dataclass
from enum import Enum

from language.english.inflection import (
    IRREGULAR_PLURALS,
    PAST_TENSES,
    base_form,
    indefinite_article,
    ing_form,
    plural_of,
)
from language.english.lexicon import words_of_class
from language.english.relation_words import called, in_words

PREPOSITIONS = words_of_class("preposition")
TIME_PREPOSITIONS = words_of_class("time preposition")
INTRANSITIVE_PASTS = words_of_class("intransitive past")
PAST_EVENTS = words_of_class("past event")
"""Past tenses that say when a thing did something: `opened 2024-01-31`."""
PASSIVE_EVENTS = words_of_class("passive event") | words_of_class("passive")
"""Participles that say when something happened to a thing: `founded 1998`."""

_IRREGULAR_PARTICIPLES = words_of_class("irregular participle")
_IRREGULAR_PLURALS = words_of_class("irregular plural")
_STATES = words_of_class("state")
_STATES_BY = words_of_class("state by")
_ADJECTIVES = words_of_class("linking adjective")
_VERBS = words_of_class("verb")
_VERBS_OR_PLURALS = words_of_class("verb or plural")
_VERBS_BEFORE_PREPOSITIONS = words_of_class("verb before preposition")
_PLURALS = words_of_class("relation in plural")
_PASSIVES = words_of_class("passive") | PAST_TENSES.keys()
_FLAGS = words_of_class("flag")
_ROLES = words_of_class("role")
_FLAG_ENDINGS = ("able", "ible", "ous", "less", "ful")
# Numbers and times are no objects of verbs: `wins total` is a noun.
_MEASURES = words_of_class("no object")
_AFTER_VERBS = PREPOSITIONS - {"by", "of"}
_SHORTEST_FLAG = 6  # `table` is none
SHORTEST_STEM = 4
_LONGEST_ENDING = 3


class RelationKind(Enum):
    """Classify a relation's name by how it links the subject and the object in a sentence."""

    NOUN = "capital, has_genre: the object is the subject's ..."
    STATE = "directed_by, located_in: the subject is (or was) ... the object"
    ROLE = "member_of, is_part_of: the subject is a ... of the object"
    VERB = "borders, plays_for: the subject ... the object"
    LABEL = "coaches: no form that fits a sentence"


@dataclass(frozen=True, slots=True)
class RelationForm:
    """A relation's kind and words. A state's words begin with `is` or `was`; a role's words omit the final `of`."""

    kind: RelationKind
    words: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """Return the words, separated by spaces."""
        return " ".join(self.words)


def relation_form(relation: str) -> RelationForm:
    """Derive the grammatical form of a relation from its name: `directed_by` -> STATE, `was directed by`."""
    relation = called(relation)
    words = in_words(relation).split()
    if not words or not all(word.isalpha() for word in words):
        return RelationForm(RelationKind.LABEL, tuple(words) or (relation,))
    if relation.isupper() and _is_active(words):
        return RelationForm(RelationKind.VERB, tuple(words))
    match words:
        case ["is" | "are", _, *_, "of"] if not is_participle(words[1]):
            return RelationForm(RelationKind.ROLE, tuple(words[1:-1]))
        case ["is" | "are" | "was" | "were" as be, _, *_]:
            return RelationForm(RelationKind.STATE, ("is" if be in ("is", "are") else "was", *words[1:]))
        case ["has" | "have", _, *_]:
            return RelationForm(RelationKind.NOUN, tuple(words[1:]))
        case [first, *_, "of"] if len(words) > 1 and not is_participle(first):
            return RelationForm(RelationKind.ROLE, tuple(words[:-1]))
        case ["part", "of", _, *_]:
            return RelationForm(RelationKind.STATE, ("is", *words))
        case ["member", "of", _, *_]:
            return RelationForm(RelationKind.STATE, ("is", "a", *words))
        case [verb] if verb in _VERBS:
            return RelationForm(RelationKind.VERB, (verb,))
        case [verb, *_, last] if verb in _VERBS and (last in PREPOSITIONS or _is_kind(last)):
            return RelationForm(RelationKind.VERB, tuple(words))
        case [verb, preposition, *_] if verb in _VERBS_BEFORE_PREPOSITIONS and preposition in _AFTER_VERBS:
            return RelationForm(RelationKind.VERB, tuple(words))
        case [past, *_, last] if past in INTRANSITIVE_PASTS and last in PREPOSITIONS - {"by"}:
            return RelationForm(RelationKind.VERB, tuple(words))
        case [participle, *_, last] if last in PREPOSITIONS and is_participle(participle):
            if last != "by" and participle not in _STATES | _PASSIVES:
                return RelationForm(RelationKind.VERB, tuple(words))  # the subject may be what visited or stayed
            present = participle in (_STATES_BY if last == "by" else _STATES)
            return RelationForm(RelationKind.STATE, ("is" if present else "was", *words))
        case [adjective, "to" | "with" | "from" | "until" | "since"] if adjective in _ADJECTIVES:
            return RelationForm(RelationKind.STATE, ("is", *words))
        case ["near"]:
            return RelationForm(RelationKind.STATE, ("is", "near"))
    # `in_language`, `of_species`, and `won` are not nouns, or not nouns that `of` can follow. `coaches` may be what
    # the subject does, or who the object is.
    is_unclear = len(words) == 1 and (is_participle(words[0]) or words[0] in _VERBS_OR_PLURALS)
    if is_unclear or words[0] == "of" or not PREPOSITIONS.isdisjoint(set(words) - {"of"}):
        return RelationForm(RelationKind.LABEL, tuple(words))
    return RelationForm(RelationKind.NOUN, tuple(words))


def _is_kind(word: str) -> bool:
    """Return whether a verb's last word may be the kind of its object: `uses product`, but not `runs scored`."""
    return not is_participle(word) and word not in _MEASURES


def _is_active(words: list[str]) -> bool:
    """Return whether the words state what the source of a relationship does or did, not a state such as `based in`.

    Neo4j names relationship types in capitals, and after what the source does: `DIRECTED`, `MENTORS`, `COMMENTED_ON`.
    """
    first, *rest = words
    if rest and (len(rest) > 1 or rest[0] not in PREPOSITIONS - {"by", "of"}):
        return False
    if is_past(first):
        return first not in (_STATES | _PASSIVES if rest else _STATES)
    return is_plural(first) and first not in _PLURALS | _IRREGULAR_PLURALS


def is_past(verb: str) -> bool:
    """Return whether a word looks like a past tense, which has the same form for all persons."""
    return verb in INTRANSITIVE_PASTS or verb in PAST_TENSES.values() or is_participle(verb)


def is_participle(word: str) -> bool:
    """Return whether a word looks like a past participle."""
    is_regular = word.endswith("ed") and word not in ("bed", "need", "seed", "feed", "speed")
    return is_regular or word in _IRREGULAR_PARTICIPLES


def is_plural(noun: str) -> bool:
    """Return whether the last noun of a phrase looks like a plural: `goals scored` does."""
    words = noun.split(" ")
    last = words[-2] if len(words) > 1 and is_participle(words[-1]) else words[-1]
    return last in _IRREGULAR_PLURALS or (last.endswith("s") and not last.endswith(("ss", "us", "is", "as", "ics")))


def is_ambiguous(word: str) -> bool:
    """Return whether a word may be a verb in the third person as well as a plural noun: `marks`."""
    return word in _VERBS_OR_PLURALS or word in _VERBS


def is_flag(words: str) -> bool:
    """Return whether a phrase describes something of which it may be true: `hazardous`, `tax exempted`."""
    last = words.rsplit(" ", 1)[-1]
    has_ending = len(last) >= _SHORTEST_FLAG and last.endswith(_FLAG_ENDINGS)
    return last in _FLAGS or has_ending or (last.endswith("ed") and is_participle(last))


def plural(noun: str) -> str:
    """Return the plural of a noun phrase by inflecting the word before its first `of`: `places of birth`."""
    head, of, rest = noun.partition(" of ")
    before, space, last = head.rpartition(" ")
    if is_plural(head) and last.lower() not in IRREGULAR_PLURALS:
        return noun
    return f"{before}{space}{plural_of(last)}{of}{rest}"


def is_role(word: str) -> bool:
    """Return whether a word says what a person is, such as `volunteer`."""
    return word in _ROLES


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 text`, `2 texts`."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def with_article(noun: str) -> str:
    """Return a noun phrase preceded by `a` or `an`."""
    return f"{indefinite_article(noun)} {noun}"


def present_participle(verb: str) -> str:
    """Return the participle of a verb in the third person: `borders` -> `bordering`; nothing for other forms."""
    return "" if not verb.endswith("s") or is_past(verb) else ing_form(base_form(verb))


def without_s(word: str) -> str:
    """Strip the ending of a plural noun or of a verb in the third person: `allies` -> `ally`, `eats` -> `eat`."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def is_form_of(word: str, other: str) -> bool:
    """Return whether two words look like forms of the same word: `directed` and `director`."""
    if without_s(word) == without_s(other):
        return True
    shortest = min(len(word), len(other))
    stem = max(SHORTEST_STEM, shortest - _LONGEST_ENDING)
    return shortest >= stem and word[:stem] == other[:stem] and abs(len(word) - len(other)) <= _LONGEST_ENDING + 1
