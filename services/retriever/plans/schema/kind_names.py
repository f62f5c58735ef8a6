"""Name an inferred kind by what known domains call entities with such relations."""

import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graph.store import INVERSE, split_step
from language.english.morphology import PREPOSITIONS, RelationKind, is_plural, relation_form, without_s
from language.english.stems import spelt_out

KNOWN_KINDS_FILE = Path(__file__).with_suffix(".toml")
_LEADING = {"has", "have", "in", "is", "with", "of", "by", "part", "to"}
_MIN_MATCHES, _MIN_SHARE = 2, 0.3
_SAID = 3  # what it counts, against one shared relation, that a relation names the kind
_CLOSE = 0.8  # known kinds that share fewer relations, against the best one, are left out
_MAX_SYNONYMS, _MAX_GUESSES = 4, 2
_WITHOUT_NOUN = (RelationKind.VERB, RelationKind.STATE, RelationKind.ROLE)
UNNAMED = "Thing"


@dataclass(frozen=True, slots=True)
class KindName:
    """Hold the name of an inferred kind, and other nouns that may fit, in words."""

    name: str
    synonyms: tuple[str, ...] = ()


def name_kind(steps: Sequence[str], taken: Collection[str], without: Collection[str] = ()) -> KindName:
    """Name the kind of the entities that can take these steps; unnamed kinds are called `Thing`, `Thing2`, and so on.

    Args:
        steps: The steps, such as `directed_by` and `^acted_in`.
        taken: The names of other kinds.
        without: Known kinds to leave out.
    """
    nouns = Counter(text for step in steps if (text := _noun(step)))
    shared = {name: number for name, number in _matches(steps).items() if name not in without}
    least = max(_MIN_MATCHES, _MIN_SHARE * len(steps), _CLOSE * max(shared.values(), default=0))
    scores = Counter({name: _SAID * number for name, number in nouns.items()})
    for name, matches in shared.items():
        said = sum(nouns[one] for one in nouns if one.split()[-1] == name)
        if said or matches >= least:
            scores[name] += matches + (_SAID * said if name not in nouns else 0)
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    free = [name for name in ranked if _identifier(name) not in taken]
    guessed = [name for name in ranked if name not in nouns][:_MAX_GUESSES]
    synonyms = [name for name in ranked if name in nouns or name in guessed][: 1 + _MAX_SYNONYMS]
    if not free:
        number = sum(one.startswith(UNNAMED) for one in taken) + 1
        return KindName(UNNAMED if number == 1 else f"{UNNAMED}{number}", tuple(synonyms))
    return KindName(_identifier(free[0]), tuple(one for one in synonyms if one != free[0]))


def _identifier(noun: str) -> str:
    return noun.title().replace(" ", "")


def _matches(steps: Sequence[str]) -> dict[str, int]:
    """Count what the steps share with those of each known kind."""
    texts = {(INVERSE if step.startswith(INVERSE) else "") + text for step in steps for text in _texts(step)}
    return {name: len(texts & known) for name, known in known_kinds().items()}


@cache
def known_kinds() -> Mapping[str, frozenset[str]]:
    """Map the noun of each known kind to the relations and properties that it has, in words."""
    table = tomllib.loads(KNOWN_KINDS_FILE.read_text(encoding="utf-8"))
    return {name: frozenset(steps.split(", ")) for name, steps in table.items()}


def _texts(step: str) -> set[str]:
    """Return a relation in words, also without words such as `has`."""
    words = spelt_out(split_step(step)[0])
    content = [word for word in words if word not in _LEADING]
    return {" ".join(words), " ".join(content), content[-1] if content else ""} - {""}


def _noun(step: str) -> str | None:
    """Return the noun that a relation has for the entities at this end of it.

    Example:
        >>> _noun("^has_genre"), _noun("^works_on_team"), _noun("capital_of"), _noun("capital")
        ('genre', 'team', 'capital', None)
    """
    relation, is_inverse = split_step(step)
    words = [word for word in spelt_out(relation) if word not in _LEADING or word == "of"]
    is_of_subject = words[-1:] == ["of"]
    if is_inverse == is_of_subject:
        return None
    after = next((place for place, word in reversed(list(enumerate(words, 1))) if word in PREPOSITIONS), 0)
    has_noun_behind = 0 < after < len(words)
    words = words[after:] if has_noun_behind else [word for word in words if word not in PREPOSITIONS]
    if len(words) > 1 and words[0].endswith(("s", "ed")):
        words = words[1:]  # a verb, as in `uses_product`
    form = relation_form("_".join(words)) if words else None
    is_verb = form is None or words[-1].endswith("ed") or (form.kind in _WITHOUT_NOUN and not has_noun_behind)
    if is_verb:
        return None
    *before, last = words
    return " ".join([*before, without_s(last) if is_plural(last) else last])
