"""Lead relationships between nodes of one kind in the direction in which a verb, its voice, and its nouns say."""

from collections.abc import Mapping
from dataclasses import replace

from graph.plan.algebra import Match, Plan, RelationshipPattern
from graph.plan.content_types import words_of
from graph.plan.traversal import rewrite
from language.english.stems import stem
from language.question import Question
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.named_nodes import named_nodes

_VERBS = ("ed", "s", "ing")
_SHORTEST = 4  # letters of a stem that nouns made of a verb begin with


def as_voiced(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan in which the one who trains is the source of `TRAINED`, where the question says who trains whom.

    The names of other types, such as `BOSS`, say nothing of a direction.
    """
    within = {one.type for one in asked.elements.connections if one.is_within_kind and _sayings(one.type) is not None}

    def replacement(part: object) -> Match | None:
        types = [one.types[0] for one in part.relationships if len(one.types) == 1] if isinstance(part, Match) else []
        if not isinstance(part, Match) or within.isdisjoint(types):
            return None
        places = named_nodes(part, asked.values)
        links = tuple(
            _voiced(one, places, asked) if within.issuperset(one.types) else one for one in part.relationships
        )
        return replace(part, relationships=links) if links != part.relationships else None

    return rewrite(plan, replacement) if within else plan


def _voiced(link: RelationshipPattern, places: Mapping[str, int], asked: AskedQuestion) -> RelationshipPattern:
    """Return a relationship, turned round if it leads against what is said of the named node at one end of it."""
    if len(link.types) != 1 or link.direction != "out":
        return link
    said = [
        is_source if end == link.source else not is_source
        for end in (link.source, link.target)
        if end in places and (is_source := _is_source(link.types[0], places[end], asked)) is not None
    ]
    is_against = bool(said) and not any(said)
    return replace(link, source=link.target, target=link.source) if is_against else link


def _is_source(type_: str, place: int, asked: AskedQuestion) -> bool | None:
    """Return whether a name is the source of a relationship, if the question says so by the word of the type."""
    sayings = _sayings(type_)
    name = next(((one.start, one.end) for one in asked.values if one.start == place), None)
    if sayings is None or name is None:
        return None
    root, last = sayings
    near = sorted(_said(root, asked.question), key=lambda one: abs(one[0] - place))
    if not near:
        return None
    text, language = asked.question.text, asked.question.language
    if last == "of":
        return False if language.has(text, name, near[0]) else None
    does = language.does(text, name, near[0])
    return does if does is None or last != "by" else not does


def _sayings(type_: str) -> tuple[str, str] | None:
    """Return the stem of the verb or the noun of a type, and its last word; None if the type says no direction.

    Example:
        >>> _sayings("TRAINED_BY"), _sayings("PARENT_OF"), _sayings("BOSS")
        (('train', 'by'), ('parent', 'of'), None)
    """
    words = [one.lower() for one in words_of(type_)]
    is_verb = bool(words) and words[0].endswith(_VERBS) and not words[0].endswith("ss")
    if not words or len(words) > 2 or not (is_verb or words[1:] == ["of"]):
        return None
    return stem(words[0]), words[-1]


def _said(root: str, question: Question) -> list[tuple[int, int]]:
    """Return where a question has the verb, or a noun made of it."""
    is_long = len(root) >= _SHORTEST
    return [
        (start, end)
        for start, end, own in question.words
        if own == root or (is_long and question.text[start:end].lower().startswith(root))
    ]
