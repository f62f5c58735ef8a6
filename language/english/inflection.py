"""Inflect English words by rules with lists of exceptions: plurals, the indefinite article, and forms of verbs.

Tests compare the forms with those of larger libraries, whose import takes longer than that of a whole service.
"""

import re
import tomllib
from pathlib import Path

from language.english.lexicon import words_of_class

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_UNCHANGED = words_of_class("same in plural")
_CRAFTS = words_of_class("craft")
_NO_MEN = words_of_class("no man")
_NO_PLURALS = words_of_class("no men")
_VOICED = tuple(words_of_class("plural in ves"))
_UNVOICED = words_of_class("no plural in ves")
_OES = words_of_class("plural in oes")
_HARD_CH = words_of_class("hard ch")
_DOUBLED = words_of_class("doubled end")
_BASE_FORMS: dict[str, str] = _TABLES["base_forms"]
IRREGULAR_PLURALS: dict[str, str] = _TABLES["plurals"]
"""Map from nouns in the singular, some of which end in `s`, to their plurals."""
VERB_FORMS: dict[str, str] = _TABLES["verbs"]
"""Map from base forms of verbs to forms that no ending gives."""
PAST_TENSES: dict[str, str] = _TABLES["past_tenses"] | {
    participle: past
    for past, participle, *_ in (forms.split() for forms in VERB_FORMS.values() if " " in forms)
    if participle in words_of_class("irregular participle")
}
"""Map from past participle to past tense, where the two differ."""

_SIBILANTS = ("s", "x", "z", "ch", "sh")
_KEPT_E = ("ee", "oe", "ye", "binge", "singe", "tinge", "whinge")
# A vowel letter that sounds like `y` or `w`: `user`, `unit`, `Europe`, `one-way`, `ubiquitous`, `uranium`.
_CONSONANT_SOUND = re.compile(
    r"(?:eu|ewe|u(?!n(?:i[mn]|issu))ni(?!dent)|us(?:e|a[bg]|u[arf])|uter|ut(?:il|op|ens)|ur(?:an|in|ol)|ub(?:i|er)|ufo|uku"
    r"|uvul|ouija|(?:one|once)(?:\b|[-_]))",
    re.IGNORECASE,
)
_VOWEL_SOUND = re.compile(r"[aeiou]|hour|honest|hono[u]?r|heir|x-|8|1[18](?!\d)", re.IGNORECASE)
# Letters whose names begin with a vowel: `an SKU`, but `a LAN`, which is read as a word.
_SPELT_OUT = re.compile(r"[AEIOFHLMNRSX](?![AEIOU]|[a-z])[A-Z0-9]*s?\b|[AEIO][A-Z]+")
_SPELT_CONSONANT = re.compile(r"U[A-Z]+s?\b")
_LAST_STRESSED = re.compile(r"(?:qu|[^aeiouy]|^y?)+[aeiouy][^aeiouwxy]")


def plural_of(noun: str) -> str:
    """Return the plural of one noun in the singular."""
    word = noun.lower()
    if word in _UNCHANGED or word.endswith(("fish", "ics", "children")):
        return noun
    if (word.endswith("craft") and word not in _CRAFTS) or (word.endswith("men") and word not in _NO_PLURALS):
        return noun
    if word in IRREGULAR_PLURALS:
        return _in_case(noun, IRREGULAR_PLURALS[word])
    if word.endswith("child"):
        return f"{noun}ren"
    if noun[-1:].isupper():
        return f"{noun}s"
    if word.endswith("man") and word not in _NO_MEN:
        return f"{noun[:-2]}en"
    if word.endswith(_VOICED) and word not in _UNVOICED:
        return f"{noun.removesuffix('e')[:-1]}ves"
    if word.endswith(("sis", "xis")):
        return f"{noun[:-2]}es"
    if word.endswith("y") and (word[-2:-1] not in "aeiou" or word.endswith("quy")) and len(word) > 1:
        return f"{noun[:-1]}ies"
    has_e = word in _OES or (word.endswith(_SIBILANTS) and word not in _HARD_CH)
    return f"{noun}{'es' if has_e else 's'}"


def indefinite_article(words: str) -> str:
    """Return `a` or `an`, by the sound with which the words begin.

    Example:
        >>> [indefinite_article(one) for one in ("user", "hour", "unidentified owner", "SKU", "European")]
        ['a', 'an', 'an', 'an', 'a']
    """
    if _SPELT_CONSONANT.match(words):
        return "a"
    if _SPELT_OUT.match(words):
        return "an"
    return "an" if _VOWEL_SOUND.match(words) and not _CONSONANT_SOUND.match(words) else "a"


def base_form(third: str) -> str:
    """Return the base form of a verb in the third person: `borders` -> `border`, `teaches` -> `teach`."""
    if third in _BASE_FORMS:
        return _BASE_FORMS[third]
    if third.endswith("ies"):
        return f"{third[:-3]}y"
    return third[:-2] if third.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else third[:-1]


def ing_form(base: str) -> str:
    """Return the present participle of a verb: `begin` -> `beginning`, `edit` -> `editing`, `tie` -> `tying`."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and base != "be" and not base.endswith(_KEPT_E):
        return f"{base[:-1]}ing"
    return f"{_with_doubled_end(base)}ing"


def _with_doubled_end(base: str) -> str:
    """Return a base form as it stands before a vowel: `runn`, `admitt`, `panick`."""
    if base.endswith("ic"):
        return f"{base}k"
    return base + base[-1] if base in _DOUBLED or _LAST_STRESSED.fullmatch(base) else base


def _in_case(noun: str, form: str) -> str:
    return form.capitalize() if noun[:1].isupper() else form
