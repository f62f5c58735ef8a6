"""Tell whether the plan model reads a question as a trusted plan, where word by word nothing tells that it means it.

The model ignores words that it does not know, and mistakes `what time is it` for a time zone. So the question must not
name another part of the graph, nor ask with another interrogative, nor have an operator that the model may overlook.
"""

from graph.plan.algebra import Constant, NodePattern, Plan, Property, RelationshipPattern
from graph.plan.result import PlanResult
from graph.plan.traversal import walk
from graph.plan.values import identity
from language.english.shape import CURRENCIES, IGNORED, UNITS, Shape, is_slot, root
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.results import answers_of, is_empty
from services.retriever.trusted.meaning import KnownQuestion
from services.retriever.trusted.near_words import NearWords, schema_words

_OVERLOOKED = frozenset((*UNITS, *CURRENCIES)) | frozenset(
    ("negation", "universal", "only", "either", "both", "past", "yes_no", "count", "average", "total", "starts", "ends")
)
"""Operators that the model may overlook; it reads comparisons and superlatives."""
_INTERROGATIVES = frozenset(("who", "whom", "whose", "when", "why", "how"))
_NEAR = 0.66
"""The least likeness of an unread word to a word of a wording or of the plan, chosen on `dev by others`."""


def may_be_meant(known: KnownQuestion, asked: Shape, near: NearWords) -> bool:
    """Return whether nothing in a question, with slots for what fills them, excludes a trusted question."""
    asked = known.split(asked)
    overlooked = _overlooked(asked, known)
    return (
        any(overlooked == _overlooked(one, known) for one in known.shapes)
        and not known.asks_twice(asked)
        and known.asks_no_more(asked, near)
        and not any(_is_other(word, asked, known, near) for word in asked.words if not is_slot(word))
    )


def agrees(
    reading: PlanReading, known: KnownQuestion, asked: Shape, near: NearWords, plan: Plan, result: PlanResult
) -> bool:
    """Return whether a reading is a trusted plan with its slots filled, and leaves no word of the question unread.

    The answers, the schema elements, and the values must be the same. A relationship type that no wording mentions,
    such as one that every node of a kind has, may be missing.
    """
    if is_empty(result) or answers_of(reading.result) != answers_of(result) or _values(reading.plan) != _values(plan):
        return False
    missing = _elements(plan) - _elements(reading.read)
    more = _elements(reading.read) - _elements(plan) - known.plan.name_properties
    if more or any(_is_mentioned(name, known, near) for name in missing):
        return False
    asked = known.split(asked)
    unread = {word for text in reading.unread for word in text.lower().split()}
    ignored = {word for word in asked.content if word in IGNORED}
    return all(_is_accounted(word, asked, known, near) for word in unread | ignored)


def _overlooked(one: Shape, known: KnownQuestion) -> frozenset[str]:
    implied = set(known.plan.units)
    if "count" in one.operators:
        implied.add("total")
    if known.plan.numbers:
        implied.add("count")  # `how many square kilometres` asks for an area
    if "between" in one.operators:
        implied.add("both")
    return (one.operators & _OVERLOOKED) - implied


def _is_other(word: str, asked: Shape, known: KnownQuestion, near: NearWords) -> bool:
    """Return whether a word asks for something that a trusted question does not ask for."""
    if word in _INTERROGATIVES:
        is_said = any(word in one.words for one in known.shapes)
        return not is_said and not (word == "how" and known.plan.numbers)
    if known.is_part_of_name(word, asked.content) and not near.tells_name(word):
        return True
    own = {root(said) for one in known.shapes for said in (*one.words, *one.said)} | set(map(root, known.plan.all))
    return (near.is_in_schema(word) or near.names_node(word)) and root(word) not in own


def _is_accounted(word: str, asked: Shape, known: KnownQuestion, near: NearWords) -> bool:
    places = [place for place, other in enumerate(asked.words) if other == word]
    if not places:
        return not any(map(str.isdigit, word))
    # Beside `people`, `famous` says more, although it is like `people`.
    said = set(map(root, asked.content))
    meant = [one for one in known.words | known.plan.all if root(one) not in said]
    return any(known.is_accounted(place, asked, near) for place in places) or near.is_like(word, meant, _NEAR)


def _is_mentioned(name: str, known: KnownQuestion, near: NearWords) -> bool:
    return all(any(near.is_near(said, [word]) for said in known.words) for word in schema_words(name))


def _elements(plan: Plan) -> frozenset[str]:
    """Return the relationship types of a plan, and the properties that it reads."""
    parts = list(walk(plan))
    types = (type_ for part in parts if isinstance(part, RelationshipPattern) for type_ in part.types)
    return frozenset((*types, *(part.key for part in parts if isinstance(part, Property))))


def _values(plan: Plan) -> tuple[list[str], int]:
    """Return the numbers and dates of a plan, and how many names and other texts it has."""
    parts = list(walk(plan))
    constants = [part.value for part in parts if isinstance(part, Constant)]
    texts = [one for one in constants if isinstance(one, str)]
    named = [part for part in parts if isinstance(part, NodePattern) and part.ids]
    others = sorted(repr(identity(one)) for one in constants if not isinstance(one, str))
    return others, len(texts) + len(named)
