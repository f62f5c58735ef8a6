"""Load invented schemas from `lexicon.toml`: the entity kinds in each domain and the relations between them."""

import random
import tomllib
from functools import cache
from pathlib import Path

from training.synthetic.relations import Relation, parse_relation
from training.synthetic.wording import EntityKind, word_relation

_TEXTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_MODIFIERS = _TEXTS["modifiers"].split()
_HEADS = _TEXTS["heads"].split()
_ATTRIBUTE_STYLES = ["person", "place", "company", "number", "term", "code", "year", "product", "title"]


@cache
def domains() -> tuple[tuple[Relation, ...], ...]:
    """Return the relations in each domain."""
    return tuple(_domain(block) for block in _TEXTS["domains"].strip().split("\n\n"))


def invented_attribute(like: Relation, random_: random.Random) -> Relation:
    """Invent a relation with a compound name, such as `estimated_weight`, for the same subjects as `like`."""
    noun = f"{random_.choice(_MODIFIERS)} {random_.choice(_HEADS)}"
    object_ = EntityKind(noun, random_.choice(_ATTRIBUTE_STYLES))
    return Relation(noun, like.subject, object_, word_relation("noun", [noun], like.subject, object_))


def _domain(block: str) -> tuple[Relation, ...]:
    kinds, relations = block.split("|")
    name_styles = dict(item.split("=") for item in kinds.split())
    return tuple(parse_relation(relation, name_styles) for relation in relations.split(";"))
