"""Read the hand-written wordings of questions, and compose questions of several hops from them."""

import re
from dataclasses import dataclass, field

from examples.world.graph import HERE

SPLITS = ("train", "valid", "test")
_WORDINGS = HERE / "wordings"
_MARKS = {">": "valid", ">>": "test"}
_ABOUT_COUNTRIES = (
    "capital", "borders", "currency", "language", "population", "continent", "calling_code", "domain", "driving_side",
    "area", "largest_city", "member_of",
)  # fmt: skip
_ABOUT_CITIES = ("city_population", "time_zone", "city_airports")
_CITY_DESCRIPTIONS = {"capital_of_country", "biggest_city_of_country"}


@dataclass
class QuestionKind:
    """A kind of question: its path, the types of its topics, and its wordings by split."""

    name: str
    path: list[str]
    topic_types: list[str]
    wordings: dict[str, list[str]] = field(default_factory=lambda: {split: [] for split in SPLITS})


def read_kinds(*names: str) -> list[QuestionKind]:
    """Read the kinds of questions from wording files, by name without suffix."""
    kinds: list[QuestionKind] = []
    split = "train"
    for name in names:
        for line in (_WORDINGS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("@"):
                title, path, types = (part.strip() for part in line[1:].split("|"))
                kinds.append(QuestionKind(title, path.split(), types.split()))
                split = "train"
            elif line.split(" ")[0] in _MARKS:
                split = _MARKS[line.split(" ")[0]]
            elif line.strip():
                kinds[-1].wordings[split].append(line.strip())
    return kinds


def read_carriers() -> list[str]:
    """Read what people say around a question, which `{q}` stands for; used for training questions only."""
    return (_WORDINGS / "carriers.txt").read_text(encoding="utf-8").splitlines()


def check_disjoint(kinds: list[QuestionKind]) -> None:
    """Raise ValueError if a wording, ignoring case and punctuation, occurs in two splits or twice in one kind."""
    owner: dict[str, str] = {}
    for kind in kinds:
        for split, wordings in kind.wordings.items():
            for wording in wordings:
                plain = " ".join(re.findall(r"[a-z0-9{}]+", wording.lower()))
                if owner.setdefault(plain, split) != split:
                    raise ValueError(f"in two splits: {wording!r}")
            if len(set(wordings)) != len(wordings):
                raise ValueError(f"twice in {kind.name}, {split}")


def composed_kinds(kinds: list[QuestionKind]) -> list[QuestionKind]:
    """Compose training questions of several hops from a description and a question of one hop.

    `the country whose capital is {x}` (path `^capital`) in `What is the currency of {x}?` (path `currency`) asks for
    `^capital`, `currency`. The model thus sees every combination, including those that no wording file spells out.
    """
    simple = {kind.name: kind for kind in kinds if len(kind.path) == 1}
    composed = []
    for description in read_kinds("descriptions"):
        about = _ABOUT_CITIES if description.name in _CITY_DESCRIPTIONS else _ABOUT_COUNTRIES
        composed += [
            _compose(description, simple[name]) for name in about if not _shares_relation(description, simple[name])
        ]
    return composed


def _shares_relation(description: QuestionKind, question: QuestionKind) -> bool:
    return description.path[-1].removeprefix("^") == question.path[0].removeprefix("^")


def _compose(description: QuestionKind, question: QuestionKind) -> QuestionKind:
    inner, outer = description.wordings["train"], question.wordings["train"]
    name, path = f"{description.name}+{question.name}", description.path + question.path
    kind = QuestionKind(name, path, description.topic_types)
    kind.wordings["train"] = [w.replace("{x}", part) for w in outer if len(w.split()) > 3 for part in inner]
    return kind
