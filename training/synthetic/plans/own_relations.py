"""Find words for the relationships of a schema that nobody described."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from graph.plan.content_types import words_of
from language.english.inflection import PAST_TENSES
from language.english.morphology import PREPOSITIONS, RelationKind, is_past, relation_form
from training.synthetic.plans.nouns import noun
from training.synthetic.plans.specs import domains
from training.synthetic.plans.verbs import VerbPhrase, verb_phrase
from training.synthetic.plans.words import RelationWords


def relation_words(type_: str, source: str, target: str, descriptions: Sequence[str]) -> RelationWords:
    """Return the words for a relationship between two kinds; words from descriptions come first."""
    text = " ".join(words_of(type_)) or type_
    found = _derived(type_, text, target)
    ends = [{noun(" ".join(words_of(kind))).singular} for kind in (source, target)]
    for words, start, end in _known_relations().get(text, ()):
        if start & ends[0] and end & ends[1]:
            found = words if words.forward else _merged(found, words)
            break
    else:
        known = _known_relations().get(text, ())
        if known and not found.forward:
            found = _merged(found, RelationWords(known[0][0].forward, known[0][0].backward))
    for description in descriptions:
        found = _merged(_described(description), found)
    return found


@cache
def _known_relations() -> Mapping[str, Sequence[tuple[RelationWords, frozenset[str], frozenset[str]]]]:
    """Map the words of relationship types to what people say, with the nouns for both ends."""
    found: dict[str, list[tuple[RelationWords, frozenset[str], frozenset[str]]]] = defaultdict(list)
    for domain in domains():
        for one in domain.relations:
            source, target = (
                frozenset(one.singular for one in domain.kinds[end].words.nouns) for end in (one.source, one.target)
            )
            flipped = one.words.flipped()
            for text in type_texts(one.words):
                found[text].append((one.words, source, target))
            for text in type_texts(flipped):
                found[text].append((flipped, target, source))
    return found


def type_texts(words: RelationWords) -> Iterator[str]:
    """Yield the names that a relationship with these words may have, in words."""
    for verb in words.forward:
        yield from dict.fromkeys((verb.finite(True), verb.finite(False)))
        if not verb.base:
            # `tagged with`, and TAGGED alone.
            yield from dict.fromkeys((verb.rest, verb.rest.split(" ")[0] if verb.is_passive else verb.rest))
    for one in words.target_nouns:
        yield from {one.singular, one.plural, f"has {one.singular}", f"has {one.plural}", f"have {one.singular}"}


def _merged(first: RelationWords, second: RelationWords) -> RelationWords:
    def both(name: str) -> tuple[object, ...]:
        return tuple(dict.fromkeys((*getattr(first, name), *getattr(second, name))))

    return RelationWords(*(both(name) for name in ("forward", "backward", "target_nouns", "source_nouns")))  # type: ignore[arg-type]


def _described(text: str) -> RelationWords:
    """Read a description of a relationship: a verb phrase such as `reports to`, or a noun such as `boss`."""
    first, *rest = text.split()
    if first in ("is", "are", "was", "were"):
        return RelationWords((verb_phrase(f"{'are' if first in ('is', 'are') else 'were'} {' '.join(rest)}"),), ())
    if is_past(first) and (rest or first.endswith("ed")):
        return RelationWords((_past(first, rest),), ())
    if rest and rest[-1] in PREPOSITIONS and first.endswith("s"):
        return RelationWords((_present(first, rest),), ())
    return RelationWords((), (), (noun(text),))


def _past(first: str, rest: Sequence[str]) -> VerbPhrase:
    past = PAST_TENSES.get(first, first)
    return verb_phrase(" ".join((f"{past}/{_base(past)}", *rest)))


def _present(first: str, rest: Sequence[str]) -> VerbPhrase:
    return verb_phrase(" ".join((_base_of_third(first), *rest)))


@cache
def _known_bases() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for domain in domains():
        for one in domain.relations:
            for verb in (*one.words.forward, *one.words.backward):
                if verb.base:
                    found.setdefault(verb.plural, verb.base)
                    found.setdefault(verb.singular, verb.base)
    return found


def _base(past: str) -> str:
    """Return the base of a past tense: `directed` -> `direct`."""
    if past in _known_bases():
        return _known_bases()[past]
    if not past.endswith("ed"):
        return past
    stem = past[:-2]
    if stem.endswith("i"):
        return f"{stem[:-1]}y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    return (
        f"{stem}e"
        if stem.endswith(("c", "s", "v", "u", "z", "at", "ir", "ur", "ag", "dg", "as", "in"))
        and not stem.endswith(("ss", "ain", "join"))
        else stem
    )


def _base_of_third(verb: str) -> str:
    if verb in _known_bases():
        return _known_bases()[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "oes")) else verb.removesuffix("s")


def _derived(type_: str, text: str, target: str) -> RelationWords:
    """Derive words from the name of a relationship type."""
    form = relation_form(type_)
    words = list(form.words)
    phrase = form.phrase
    match form.kind:
        case RelationKind.VERB if is_past(words[0]):
            return RelationWords((_past(words[0], words[1:]),), _passive(words))
        case RelationKind.VERB:
            return RelationWords((_present(words[0], words[1:]),), ())
        case RelationKind.STATE:
            be, *rest = words
            forward = verb_phrase(f"{'are' if be == 'is' else 'were'} {' '.join(rest)}")
            if rest[-1] == "by" and len(rest) == 2:
                return RelationWords((forward,), (_past(rest[0], ()),))
            return RelationWords((forward,), ())
        case RelationKind.ROLE:
            if phrase == "part":
                return RelationWords((verb_phrase("are part of"),), ())
            role = noun(phrase)
            return RelationWords((verb_phrase(f"are {role.plural} of"),), (), (), (role,))
        case RelationKind.NOUN if words_of(type_)[0] not in PREPOSITIONS:
            if words == words_of(target) or " ".join(words) in ("has", "related"):
                return RelationWords((verb_phrase("have"),), (), (noun(phrase),) if phrase != "has" else ())
            if words[-1].endswith("s") and len(words) == 1 and words[0] in _known_bases():
                return RelationWords((_present(words[0], ()),), ())
            return RelationWords((), (), (noun(phrase),))
    known = text.split()
    if known[0] in PREPOSITIONS:
        return RelationWords((verb_phrase(f"are {text if known[-1] in PREPOSITIONS else known[0]}"),), ())
    if is_past(known[0]):
        return RelationWords((_past(known[0], known[1:]),), _passive(known))
    if known[0] in _known_bases():
        return RelationWords((verb_phrase(" ".join((_known_bases()[known[0]], *known[1:]))),), ())
    return RelationWords((), (), (noun(text),))


def _passive(words: Sequence[str]) -> tuple[VerbPhrase, ...]:
    """Return the passive of a past tense without a preposition: `directed` -> `were directed by`."""
    if len(words) > 1:
        return ()
    participles = {past: participle for participle, past in PAST_TENSES.items()}
    participle = participles.get(words[0], words[0])
    return (verb_phrase(f"were {participle} by"),)
