"""Read hand-written question wordings, and compose multi-hop questions from them."""

import re
from dataclasses import dataclass, field

from examples.world.graph import HERE, read_facts

SPLITS = ("train", "valid", "test")
_WORDINGS = HERE / "wordings"
_MARKS = {">": "valid", ">>": "test"}


@dataclass
class QuestionKind:
    """Describe a kind of question: its relation path, its topic types, and its wordings by split."""

    name: str
    path: list[str]
    topic_types: list[str]
    wordings: dict[str, list[str]] = field(default_factory=lambda: {split: [] for split in SPLITS})


def read_kinds(*names: str) -> list[QuestionKind]:
    """Read the question kinds in the wording files with these names (without suffix)."""
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
    """Read the phrases that can surround a question, with `{q}` in its place; only training questions use them."""
    return (_WORDINGS / "carriers.txt").read_text(encoding="utf-8").splitlines()


def check_disjoint(kinds: list[QuestionKind]) -> None:
    """Raise ValueError if a wording occurs in two splits (ignoring case and punctuation) or twice in one kind."""
    owner: dict[str, str] = {}
    for kind in kinds:
        for split, wordings in kind.wordings.items():
            for wording in wordings:
                plain = " ".join(re.findall(r"[a-z0-9{}]+", wording.lower()))
                if owner.setdefault(plain, split) != split:
                    raise ValueError(f"the wording {wording!r} occurs in two splits")
            if len(set(wordings)) != len(wordings):
                raise ValueError(f"the {split} split of {kind.name} contains a duplicate wording")


def composed_kinds(kinds: list[QuestionKind]) -> list[QuestionKind]:
    """Compose multi-hop training questions by inserting a description into a one-hop question.

    For example, inserting `the country whose capital is {x}` (path `^capital`) into `What is the currency of {x}?`
    (path `currency`) gives a question with the path `^capital`, `currency`. The model thus also sees combinations
    that no wording file contains.
    """
    simple = {kind.name: kind for kind in kinds if len(kind.path) == 1}
    topics = read_facts("topics")
    composed = []
    for description in read_kinds("descriptions"):
        is_city = description.name in topics["city_descriptions"].split()
        questions = [simple[name] for name in topics["about_cities" if is_city else "about_countries"].split()]
        relation = description.path[-1].removeprefix("^")
        composed += [_compose(description, q) for q in questions if q.path[0].removeprefix("^") != relation]
    return composed


def _compose(description: QuestionKind, question: QuestionKind) -> QuestionKind:
    inner, outer = description.wordings["train"], question.wordings["train"]
    name, path = f"{description.name}+{question.name}", description.path + question.path
    kind = QuestionKind(name, path, description.topic_types)
    kind.wordings["train"] = [w.replace("{x}", part) for w in outer if len(w.split()) > 3 for part in inner]
    return kind
