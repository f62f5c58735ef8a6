"""Recognise questions that mean the same as a trusted one, although they are none of its wordings.

Every content word of the question must stand for a word of a wording or of the plan, and every content word of one
wording must be said by the question. Operators, such as `not`, `more than`, and `how many`, must be the same. So a
condition more or less, another relationship, another kind, or another operator is never taken for the trusted question.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from contracts.trusted_questions import DATE, NUMBER, VALUE_TYPES, TrustedQuestion, wording
from graph.plan.schema import GraphSchema
from language.english.shape import Shape, is_slot, root, shape
from services.retriever.trusted.near_words import NearWords
from services.retriever.trusted.plan_words import PlanWords, plan_words

_ORDERED_TYPES = frozenset((DATE, NUMBER))
"""Types of slots whose order tells them from each other, together with the comparisons and these words."""
_ORDERED_WORDS = frozenset(("from", "to"))
_TYPE_OF_SLOT = re.compile(r":[^{}]*\}")


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A trusted question, prepared to be compared with other questions."""

    question: TrustedQuestion
    slots: Mapping[str, str]
    shapes: tuple[Shape, ...]
    plan: PlanWords

    @classmethod
    def of(cls, question: TrustedQuestion, schema: GraphSchema) -> "KnownQuestion | None":
        """Prepare a question; return None if only its own words tell its slots, or its wordings, from others."""
        slots, *others = (wording(text).slots for text in question.wordings)
        repeated = [type_ for type_, count in Counter(slots.values()).items() if count > 1]
        if not _ORDERED_TYPES.issuperset(repeated) or any(other != slots for other in others):
            return None
        # `what has {x:entity}` has no content words, so anything would mean it.
        shapes = tuple(one for text in question.wordings if (one := shape(_TYPE_OF_SLOT.sub("}", text))).content)
        return cls(question, slots, shapes, plan_words(question, schema)) if shapes else None

    @property
    def words(self) -> frozenset[str]:
        """Return the content words of the wordings."""
        return frozenset().union(*(one.content for one in self.shapes))

    def is_meant(self, asked: Shape, near: NearWords) -> bool:
        """Return whether a question, with slots for what fills them, means the same as a wording."""
        asked = self.split(asked)
        return (
            all(self.is_accounted(place, asked, near) for place in range(len(asked.words)))
            and self.asks_no_more(asked, near)
            and not self.asks_twice(asked)
            and any(self._is_said(one, asked, near) for one in self.shapes)
        )

    def split(self, asked: Shape) -> Shape:
        """Split compounds that a wording or the plan writes as two words: `timezone`."""
        pairs = [pair for words in (*(one.words for one in self.shapes), *self.plan.names) for pair in pairwise(words)]
        parts = {"".join(pair): pair for pair in pairs}
        return replace(asked, words=tuple(part for word in asked.words for part in parts.get(word, (word,))))

    def is_accounted(self, place: int, asked: Shape, near: NearWords) -> bool:
        """Return whether a word of a question is a slot, or stands for a word of a wording or a part of the plan."""
        word = asked.words[place]
        if is_slot(word) or any(word in one.said for one in self.shapes):
            return True
        if word == "whose" and not self.plan.is_directed:
            return True
        if near.is_near(word, self.words, by_likeness=not self.plan.is_directed):
            return True
        if near.is_near(word, self.plan.answers) or near.is_near(word, self.plan.implied, by_likeness=False):
            return True
        if any(near.is_near(word, kind) for kind in self._kinds_at(place, asked, near)):
            return True
        return any(self._stands_for(word, part, asked, near) for part in self._mentioned(near))

    def is_part_of_name(self, word: str, said: Collection[str]) -> bool:
        """Return whether a word has a meaning of its own in a name of the plan, whose last word is not said.

        `What time is it in Oslo` does not ask for a time zone.
        """
        roots = set(map(root, said))
        names = [list(map(root, name)) for name in self.plan.compounds if root(word) in map(root, name)]
        return bool(names) and all(root(word) != name[-1] and name[-1] not in roots for name in names)

    def _kinds_at(self, place: int, asked: Shape, near: NearWords) -> list[frozenset[str]]:
        """Return the words of the kinds that may describe a slot or a property next to a place of a question.

        `city` does so in `the city of Lyon` and `city population`, but not in `cities that the airports of Lyon serve`.
        """
        words = dict(enumerate(asked.words))
        before, after, later = (words.get(place + step, "") for step in (-1, 1, 2))
        if after and not is_slot(after) and near.is_near(after, self.plan.properties):
            return list(map(self._kind_in, _slots(asked)))
        # In `time zone {zone}`, both words describe the slot.
        is_compound = after in self._kind_in(later)
        return [self._kind_in(one) for one in (before, after, *([later] if is_compound else ()))]

    def _kind_in(self, word: str) -> frozenset[str]:
        """Return the words of the kind that fills a slot; none for other words."""
        return self.plan.kinds.get(self.slots[word[1:-1]], frozenset()) if is_slot(word) else frozenset()

    def _mentioned(self, near: NearWords) -> list[frozenset[str]]:
        """Return the relationship types and properties of the plan for which a word of a wording stands."""
        return [part for part in self.plan.parts if any(near.is_near(word, part) for word in self.words)]

    def _stands_for(self, word: str, part: frozenset[str], asked: Shape, near: NearWords) -> bool:
        """Return whether a word stands for a part; `people` stands for a population only where it is counted."""
        by_list = asked.is_numeric or part.isdisjoint(self.plan.numbers)
        if near.is_near(word, part, by_likeness=not self.plan.is_directed, by_list=by_list):
            return True
        # Also words that otherwise stand only for themselves: `high` for an elevation.
        return by_list and not part.isdisjoint(self.plan.numbers) and near.is_known_for(word, part)

    def asks_no_more(self, asked: Shape, near: NearWords) -> bool:
        """Return whether a question mentions no part more often than a wording: `population of cities with people`."""
        for name, part in zip(self.plan.names, self.plan.parts, strict=True):
            said, *most = (self._mentions(name, part, one, near) for one in (asked, *self.shapes))
            if said - self._repetitions(part, asked, near) > max(most) > 0:
                return False
        return True

    def _mentions(self, name: Sequence[str], part: frozenset[str], one: Shape, near: NearWords) -> int:
        """Count how often a question mentions a part of the plan.

        `due date` mentions `due_date` once, and so does `deadline date`.
        """
        roots, own = set(map(root, name)), Counter(map(root, one.content))
        others = sum(self._stands_for(word, part, one, near) for word in one.content if root(word) not in roots)
        named = [own[one_root] for one_root in roots]
        return max([*named, math.ceil((sum(named) + others) / len(roots))]) if roots else others

    def _repetitions(self, part: frozenset[str], asked: Shape, near: NearWords) -> int:
        """Count the words that only go on to mention a part: `government` of `seat of government`, for a capital."""
        if self.plan.is_directed:
            return 0
        found = [word if self._stands_for(word, part, asked, near) else None for word in asked.content]
        return sum(bool(word and other and root(word) != root(other)) for word, other in pairwise(found))

    def asks_twice(self, asked: Shape) -> bool:
        """Return whether a question may follow a relationship twice: `neighbours of countries that border France`."""
        if not self.plan.is_directed:
            return False
        roots = list(map(root, asked.content))
        if len(set(roots)) < len(roots):
            return True
        whole = [words for one in self.shapes if (words := set(map(root, one.content))) <= set(roots)]
        return any(one.isdisjoint(other) for one in whole for other in whole)

    def _is_said(self, one: Shape, asked: Shape, near: NearWords) -> bool:
        # `area in km²` asks for the area that the graph stores in km².
        if not one.operators <= asked.operators <= one.operators | self.plan.units or _slots(asked) != _slots(one):
            return False
        if not self._has_order(one, asked) or (self.plan.is_directed and not self._has_direction(one, asked)):
            return False
        plain = self._without_descriptions(one)
        return all(self._is_covered(word, one, asked, near) for word in plain.content or one.content)

    def _has_direction(self, one: Shape, asked: Shape) -> bool:
        """Return whether a question has the voice of a wording, and words on the same sides of its slots."""
        pairs = ((one, asked), (self._without_descriptions(one), self._without_descriptions(asked)))
        return asked.light == one.light and any(_before_slots(mine) == _before_slots(other) for mine, other in pairs)

    def _has_order(self, one: Shape, asked: Shape) -> bool:
        """Return whether values of one type have the order of a wording: only that tells them from each other."""
        types = Counter(self.slots.values())
        slots = {f"{{{name}}}" for name, type_ in self.slots.items() if types[type_] > 1}
        if not slots:
            return True
        order, asked_order = (
            [word for word in words if word in slots | _ORDERED_WORDS] for words in (one.words, asked.words)
        )
        return (order, one.comparisons) == (asked_order, asked.comparisons)

    def _without_descriptions(self, one: Shape) -> Shape:
        """Return a shape without the nouns that describe what fills the slot next to them: `team` of `team {team}`."""
        words = list(one.words)
        for place, word in reversed(list(enumerate(one.words))):
            if any(word in self._nouns(slot) for slot in words[max(place - 1, 0) : place + 2] if is_slot(slot)):
                del words[place]
        return replace(one, words=tuple(words))

    def _nouns(self, slot: str) -> frozenset[str]:
        """Return the nouns for what fills a slot: its name, and the words of its kind."""
        name = slot[1:-1]
        return frozenset() if self.slots[name] in VALUE_TYPES else frozenset((name, *self._kind_in(slot)))

    def _is_told(self, word: str, asked: Shape, near: NearWords) -> bool:
        """Return whether a question names the part of the plan with a word by another of its words, or by its unit."""
        said = set(map(root, asked.content))
        if root(word) in map(root, self.plan.measures) and not self.plan.units.isdisjoint(asked.operators):
            return True
        names = [set(map(root, name)) for name in self.plan.names]
        return any(root(word) in name and any(map(near.tells_name, name & said)) for name in names)

    def _is_covered(self, word: str, one: Shape, asked: Shape, near: NearWords) -> bool:
        """Return whether a question says a word of a wording, or another word for the same part of the plan."""
        if near.is_near(word, asked.content) or near.is_near(word, self.plan.implied):
            return True
        if self._is_told(word, asked, near):
            return True
        # In `time zone`, `time` does not stand for the zone, too.
        others = [other for other in asked.content if root(other) not in map(root, one.content)]
        parts = [part for part in (frozenset((word,)), *self.plan.parts) if near.is_near(word, part)]
        kinds = [kind for kind in self.plan.kinds.values() if near.is_near(word, kind)]
        return any(
            any(near.is_near(other, kind) for kind in kinds)
            or any(self._stands_for(other, part, asked, near) for part in parts)
            for other in others
        )


def _slots(one: Shape) -> Collection[str]:
    return sorted(filter(is_slot, one.words))


def _before_slots(one: Shape) -> tuple[bool, bool]:
    """Return whether words come before the first slot, and after it."""
    first = next((place for place, word in enumerate(one.words) if is_slot(word)), len(one.words))
    return first > 0, any(not is_slot(word) for word in one.words[first:])
