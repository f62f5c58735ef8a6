"""Generate evidence from invented graphs, each with one domain, one way of spelling relations, and invented names.

`invented_graph.toml` contains the domains: their entity kinds and the relations between them.
"""

import random
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from training.synthetic.evidence import EvidenceItem, Step
from training.synthetic.names import invent_name, similar_name
from training.synthetic.relations import Relation, parse_relation
from training.synthetic.wording import EntityKind, word_relation

_LIST_SIZES = [1] * 9 + [2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12]
_SIMILAR_NAME_SHARE = 0.08
_ATTRIBUTE_SHARE = 0.15
_ATTRIBUTE_STYLES = ["person", "place", "company", "number", "term", "code", "year", "product", "title"]
_TEXTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_MODIFIERS = _TEXTS["modifiers"].split()
_HEADS = _TEXTS["heads"].split()


@cache
def domains() -> tuple[tuple[Relation, ...], ...]:
    """Return the relations in each domain."""
    return tuple(_domain(block) for block in _TEXTS["domains"].strip().split("\n\n"))


class InventedGraph:
    """Represent a graph that invents entities on demand.

    Example:
        graph = InventedGraph(random.Random(1))
        item = graph.item(graph.path(hops=2))
    """

    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self._domain = random_.choice(domains())
        self._spelling = random_.choice(_SPELLINGS)
        self._used: list[str] = []

    def path(self, hops: int, like: tuple[Step, ...] = ()) -> tuple[Step, ...]:
        """Draw a relation path of `hops` steps whose entity kinds match, from the same kind of topic as `like`.

        If no such path is found, return a path of one step.
        """
        r = self._random
        start = _start_noun(like[0]) if like else None
        for _ in range(50):
            steps: list[Step] = []
            here = start
            while len(steps) < hops:
                fitting = [(x, back) for x in self._domain for back in (False, True)
                           if here in (None, (x.object if back else x.subject).noun)]  # fmt: skip
                if not fitting:
                    break
                relation, back = r.choice(fitting)
                if not back and r.random() < _ATTRIBUTE_SHARE:
                    relation = _invented_attribute(relation, r)
                steps.append(Step(relation, self._spelling(relation, r), back))
                here = (relation.subject if back else relation.object).noun
            if len(steps) == hops:
                return tuple(steps)
        return self.path(1)

    def item(self, steps: tuple[Step, ...], topic: str | None = None, size: int | None = None) -> EvidenceItem:
        """Invent evidence along a path, by default with a new topic and a random number of entities at the end."""
        chain = [topic or self.name(steps[0], topic=True), *(self.name(step) for step in steps[:-1])]
        count = size or self._random.choice(_LIST_SIZES)
        return EvidenceItem(steps, tuple(chain), tuple(self.name(steps[-1]) for _ in range(count)))

    def name(self, step: Step, topic: bool = False) -> str:
        """Invent a name for the entity that a step reaches or, if `topic` is true, for its starting entity."""
        r = self._random
        kind = step.relation.subject if step.backwards != topic else step.relation.object
        name = ""
        for _ in range(20):
            name = similar_name(r.choice(self._used), r) if self._used and r.random() < _SIMILAR_NAME_SHARE else ""
            name = name or invent_name(kind.name_style, r)
            if name not in self._used:
                break
        self._used.append(name)
        return name


def _domain(block: str) -> tuple[Relation, ...]:
    kinds, relations = block.split("|")
    name_styles = dict(item.split("=") for item in kinds.split())
    return tuple(parse_relation(relation, name_styles) for relation in relations.split(";"))


def _invented_attribute(like: Relation, random_: random.Random) -> Relation:
    """Invent a relation with a compound name, such as `estimated_weight`, for the same subjects as `like`."""
    noun = f"{random_.choice(_MODIFIERS)} {random_.choice(_HEADS)}"
    object_ = EntityKind(noun, random_.choice(_ATTRIBUTE_STYLES))
    return Relation(noun, like.subject, object_, word_relation("noun", [noun], like.subject, object_))


def _start_noun(step: Step) -> str:
    return (step.relation.object if step.backwards else step.relation.subject).noun


def _snake(relation: Relation, _: random.Random) -> str:
    return relation.words.replace(" ", "_")


def _camel(relation: Relation, _: random.Random) -> str:
    first, *rest = relation.words.split()
    return first + "".join(word.capitalize() for word in rest)


def _dotted(relation: Relation, random_: random.Random) -> str:
    kind = relation.subject.noun.replace(" ", "_")
    return f"{kind}.{kind}.{_snake(relation, random_)}"


def _prefixed(relation: Relation, random_: random.Random) -> str:
    """Put a verb first where the grammatical form allows it: `has_genre`, `is_member_of`, `was_born_in`."""
    snake = _snake(relation, random_)
    sentence = relation.wording.one[0]
    if sentence.startswith("The "):
        return f"has_{snake}"
    be = next((word for word in ("is", "was") if f"{{s}} {word} " in sentence), "")
    return f"{be}_{snake}" if be else snake


_SPELLINGS: list[Callable[[Relation, random.Random], str]] = [
    _snake,
    _snake,
    _snake,
    _prefixed,
    _camel,
    lambda relation, _: relation.words.upper().replace(" ", "_"),
    lambda relation, _: relation.words,
    lambda relation, _: relation.words.replace(" ", "-"),
    _dotted,
]
