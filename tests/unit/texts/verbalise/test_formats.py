from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.rewrite import KnowledgeFormat
from shared.triple import Triple
from texts.verbalise.formats import as_triples, as_yaml, render

FRANCE = [
    Triple("France", "capital", "Paris"),
    Triple("France", "borders", "Spain"),
    Triple("France", "borders", "Italy"),
    Triple("Paris", "located_in", "France"),
]

names = st.text(min_size=1, max_size=30)
triples = st.builds(Triple, names, names, names)


def test_triples_in_the_papers_form() -> None:
    assert as_triples(FRANCE[:2]) == "(France, capital, Paris) (France, borders, Spain)"
    assert as_triples([]) == ""


def test_yaml_groups_tails_by_head_and_relation() -> None:
    assert as_yaml(FRANCE) == ("France:\n  capital: [Paris]\n  borders: [Spain, Italy]\nParis:\n  located_in: [France]")


def as_dict(facts: list[Triple]) -> dict[str, Any]:
    grouped: dict[str, dict[str, list[str]]] = {}
    for fact in facts:
        tails = grouped.setdefault(fact.subject, {}).setdefault(fact.relation, [])
        if fact.object not in tails:
            tails.append(fact.object)
    return grouped


@given(st.lists(triples, min_size=1, max_size=8))
@example([Triple("no", "1e3", "null"), Triple("- a", "b: c", "d #e"), Triple("~", "<<", "2024-01-01")])
@example([Triple("a\u2028b", "\x85", "\ufeff"), Triple("\x00", "\t", "\x7f"), Triple("=", "?", "*x")])
@example([Triple('O\'Hara, "Scarlett"', "{x}", "[y]"), Triple("东京", "Москва", "𝔘😀")])
@example([Triple("k" * 2000, "\x01" * 400, "x y")])
@example([Triple("ʰx", "ǅ", "0o7")])
def test_yaml_reads_back_as_what_it_was_made_of(facts: list[Triple]) -> None:
    assert yaml.safe_load(as_yaml(facts)) == as_dict(facts)


@pytest.mark.parametrize("name", ["Dan 😀", "\ue000", "\ufffd", "x \U000f0000", "\U0010ffff"])
def test_yaml_keeps_printable_characters_as_they_are(name: str) -> None:
    assert as_yaml([Triple("Paris", "mascot", name)]) == f'Paris:\n  mascot: ["{name}"]'


@pytest.mark.parametrize(
    "character", "\x07\x7f\x85\x9f\u2028\ufeff\ufffe\uffff\ud83d\u061c\u200e\u200f\u202a\u202e\u2066\u2069"
)
def test_yaml_escapes_what_is_not_printable_or_reorders_text(character: str) -> None:
    assert as_yaml([Triple("Paris", "mascot", f"a{character}b")]) == (
        f'Paris:\n  mascot: ["a\\u{ord(character):04x}b"]'
    )


@pytest.mark.parametrize(
    ("knowledge_format", "rendered"),
    [
        (KnowledgeFormat.TRIPLES, "(France, capital, Paris) (France, borders, Spain) (France, borders, Italy)"),
        (KnowledgeFormat.TEMPLATE, "The capital of France is Paris. France borders Spain and Italy."),
        (KnowledgeFormat.TEXT, "France, whose capital is Paris, borders Spain and Italy."),
        (KnowledgeFormat.YAML, "France:\n  capital: [Paris]\n  borders: [Spain, Italy]"),
        (KnowledgeFormat.NONE, ""),
    ],
)
def test_each_format(knowledge_format: KnowledgeFormat, rendered: str) -> None:
    assert render(FRANCE[:3], knowledge_format) == rendered
