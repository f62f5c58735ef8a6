"""Plain sentences from facts, without a model: right in direction, and grammatical where the relation's name allows.

UniOQA's searcher says "The {relation} of {head} is {tail}." of everything. That reads well for nouns only, so other
forms of a relation's name are said in other ways, and a name without such a form stands behind a colon.
"""

from collections.abc import Callable, Sequence

from shared.triple import Triple
from shared.verbalise.formats import join_names
from shared.verbalise.relation_names import ACTIVE_PASTS, Kind, form_of

_IRREGULAR_PLURALS = frozenset(
    [
        "children",
        "people",
        "men",
        "women",
        "data",
        "media",
        "staff",
        "personnel",
        "series",
        "species",
        "feet",
        "alumni",
        "criteria",
    ]
)

Say = Callable[[Sequence[str], Sequence[str]], str]


def as_sentences(facts: Sequence[Triple]) -> str:
    """Say facts in their order; those that share head and relation, or tail and relation, in one sentence."""
    return " ".join(_sentence(group) for group in _groups(facts))


def _groups(facts: Sequence[Triple]) -> list[list[Triple]]:
    """Partition facts by a common (head, relation) or (relation, tail), whichever joins more of those still unsaid."""
    distinct = list({(fact.subject, fact.relation, fact.object): fact for fact in facts}.values())
    by_head: dict[tuple[str, str], list[Triple]] = {}
    by_tail: dict[tuple[str, str], list[Triple]] = {}
    for fact in distinct:
        by_head.setdefault((fact.subject, fact.relation), []).append(fact)
        by_tail.setdefault((fact.relation, fact.object), []).append(fact)
    groups = []
    said: set[int] = set()
    for fact in distinct:
        if id(fact) not in said:
            same_head = [f for f in by_head[fact.subject, fact.relation] if id(f) not in said]
            same_tail = [f for f in by_tail[fact.relation, fact.object] if id(f) not in said]
            groups.append(same_head if len(same_head) >= len(same_tail) else same_tail)
            said.update(map(id, groups[-1]))
    return groups


def _sentence(group: Sequence[Triple]) -> str:
    subjects = list(dict.fromkeys(fact.subject for fact in group))
    objects = list(dict.fromkeys(fact.object for fact in group))
    text = _saying(group[0].relation)(subjects, objects)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _saying(relation: str) -> Say:
    """The way to say a relation, by the form of its name."""
    form = form_of(relation)
    match form.kind:
        case Kind.NOUN:
            return _attribute(form.words)
        case Kind.STATE:
            return _predicate(form.phrase)
        case Kind.ROLE:
            return _role(form.words)
        case Kind.VERB:
            return _verb(form.words[0], form.words[1:])
        case Kind.LABEL:
            return _labelled(form.phrase)


def _attribute(words: Sequence[str]) -> Say:
    noun = " ".join(words)

    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        named = _plural(noun) if len(objects) > 1 else noun
        several = len(objects) > 1 or is_plural(noun.split(" of ")[0])
        return f"The {named} of {join_names(subjects)} {'are' if several else 'is'} {join_names(objects)}"

    return say


def _predicate(predicate: str) -> Say:
    """A phrase that begins with `is` or `was`."""
    be, rest = predicate.split(" ", 1)

    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        verb = be if len(subjects) == 1 else "are" if be == "is" else "were"
        return f"{join_names(subjects)} {verb} {rest} {join_names(objects)}"

    return say


def _role(words: Sequence[str]) -> Say:
    """`member` of `member_of`; `part` is no countable role."""
    role = " ".join(words)
    article = "" if role in ("part", "kind") or words[0] in ("a", "an", "the", "one") else _article(role)

    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        if len(subjects) == 1:
            return f"{subjects[0]} is {article}{role} of {join_names(objects)}"
        return f"{join_names(subjects)} are {_plural(role) if article else role} of {join_names(objects)}"

    return say


def _verb(third: str, rest: Sequence[str]) -> Say:
    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        verb = third if len(subjects) == 1 or third in ACTIVE_PASTS else base_form(third)
        return f"{join_names(subjects)} {' '.join([verb, *rest])} {join_names(objects)}"

    return say


def _labelled(label: str) -> Say:
    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        return f"{join_names(subjects)}: {label} {join_names(objects)}"

    return say


def _article(noun: str) -> str:
    return "an " if noun[0] in "aeiou" else "a "


def is_plural(noun: str) -> bool:
    """Whether a noun phrase has the form of a plural."""
    last = noun.rsplit(" ", 1)[-1]
    return last in _IRREGULAR_PLURALS or (last.endswith("s") and not last.endswith(("ss", "us", "is", "as", "ics")))


def _plural(noun: str) -> str:
    """The plural of a noun, which may be followed by `of` and more: `places of birth`."""
    head, of, rest = noun.partition(" of ")
    if is_plural(head):
        return noun
    if head.endswith("y") and head[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return f"{head[:-1]}ies{of}{rest}"
    return f"{head}{'es' if head.endswith(('s', 'x', 'z', 'ch', 'sh')) else 's'}{of}{rest}"


def base_form(third: str) -> str:
    """The word without the ending -s: `borders` -> `border`, `carries` -> `carry`, `teaches` -> `teach`."""
    if third.endswith("ies"):
        return f"{third[:-3]}y"
    if third.endswith(("sses", "shes", "ches", "xes", "goes", "does")):
        return third[:-2]
    return third[:-1]
