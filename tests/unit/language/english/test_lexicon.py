"""Each English word has one entry: in the lexicon, or in a table that says more of it than its classes."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import language.english
from language.english.lexicon import classes, words_of_class

_FOLDER = Path(language.english.__file__).parent
_LEXICON = tomllib.loads((_FOLDER / "lexicon.toml").read_text(encoding="utf-8"))
_WORDS = re.compile(r"[a-z0-9'’_/-]+(?:\s+[a-z0-9'’_/-]+)+\s*")
_TABLES = {
    "inflection.toml": "the forms of words",
    "abbreviations.toml": "what abbreviations stand for",
    "nationalities.toml": "the places of adjectives",
    "quantities.toml": "the dimension and the size of units",
    "measures.toml": "how units are written",
    "synonyms.toml": "words that may stand for one another",
    "operators.toml": "phrases, and the actions of plans that express them",
    "question_dates.toml": "months and decades in their order",
    "shape.toml": "phrases, and what they mean in the shape of a question",
    "numbers.toml": "the numbers that words stand for",
    "singulars.toml": "the singulars of nouns",
    "small_talk.toml": "phrases of greetings and thanks",
}
"""Tables that say something of their words which a class cannot, and what."""


def _lists(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the words of each list of words in a file: of each text that consists of several words."""

    def inner(name: str, value: object) -> Iterator[tuple[str, list[str]]]:
        match value:
            case dict():
                for key, part in value.items():
                    yield from inner(f"{name}.{key}" if name else key, part)
            case str() if _WORDS.fullmatch(value.lstrip()):
                yield name, value.split()
            case list() if len(value) > 1 and all(isinstance(one, str) and one.isalpha() for one in value):
                yield name, value

    return inner("", tomllib.loads(file.read_text(encoding="utf-8")))


def test_each_word_stands_once_in_the_lexicon() -> None:
    groups = defaultdict(list)
    for group, words in _LEXICON["words"].items():
        for word in words.split():
            groups[word].append(group)

    assert not {word: found for word, found in groups.items() if len(found) > 1}


def test_each_list_of_words_is_a_class_of_the_lexicon() -> None:
    known = defaultdict(list)
    for group, words in _LEXICON["words"].items():
        for word in words.split():
            known[word].append(group)

    others = [
        f"{file.name}: {name} (in the lexicon, too: {', '.join(sorted(set(words) & known.keys())) or 'none'})"
        for file in sorted(_FOLDER.glob("*.toml"))
        if file.name != "lexicon.toml" and file.name not in _TABLES
        for name, words in _lists(file)
    ]

    assert not others, "move these lists to lexicon.toml, or say in _TABLES what else they say"


def test_each_table_exists() -> None:
    assert all((_FOLDER / name).is_file() for name in _TABLES)


def test_groups_are_named_by_the_classes_that_are_described() -> None:
    named = {name for group in _LEXICON["words"] for name in group.split(", ")}

    assert named == _LEXICON["classes"].keys()


def test_groups_name_their_classes_in_the_order_of_their_descriptions() -> None:
    order = list(_LEXICON["classes"])

    groups = [[order.index(name) for name in group.split(", ")] for group in _LEXICON["words"]]

    assert [group for group in groups if group != sorted(set(group))] == []
    assert len({tuple(group) for group in groups}) == len(groups)


def test_a_class_has_the_words_of_all_its_groups() -> None:
    assert words_of_class("time preposition") == {"since", "until"}
    assert "since" in words_of_class("preposition")


def test_there_is_no_other_class() -> None:
    with pytest.raises(KeyError):
        words_of_class("nothing")
    assert classes("nothing") == []
