"""Training questions of several hops made of two hand-written parts: a description, and a question about it.

`the country whose capital is {x}` (path `^capital`) put into `What is the currency of {x}?` (path `currency`) asks for
`^capital currency`. So the model sees every combination, also those that no wording file spells out. Only training
wordings are used, and only training questions are made.
"""

from __future__ import annotations

from examples.world.wording import Kind, read_kinds

_ABOUT_COUNTRIES = (
    "capital",
    "borders",
    "currency",
    "language",
    "population",
    "continent",
    "calling_code",
    "domain",
    "driving_side",
    "area",
    "largest_city",
    "member_of",
)
_ABOUT_CITIES = ("city_population", "time_zone", "city_airports")
_CITY_DESCRIPTIONS = {"capital_of_country", "biggest_city_of_country"}


def composed_kinds(answerable: list[Kind]) -> list[Kind]:
    """All fitting pairs of a description and a kind of question with one relation."""
    simple = {kind.name: kind for kind in answerable if len(kind.path) == 1}
    made = []
    for description in read_kinds(("descriptions",)):
        about = _ABOUT_CITIES if description.name in _CITY_DESCRIPTIONS else _ABOUT_COUNTRIES
        made += [_compose(description, simple[name]) for name in about if not _undoes(description, simple[name])]
    return made


def _undoes(description: Kind, question: Kind) -> bool:
    back = question.path[0].removeprefix("^")
    return description.path[-1].removeprefix("^") == back


def _compose(description: Kind, question: Kind) -> Kind:
    inner, outer = description.wordings["train"], question.wordings["train"]
    wordings = [wording.replace("{x}", part) for wording in outer if len(wording.split()) > 3 for part in inner]
    kind = Kind(f"{description.name}+{question.name}", description.path + question.path, description.pools)
    kind.wordings["train"] = wordings
    return kind
