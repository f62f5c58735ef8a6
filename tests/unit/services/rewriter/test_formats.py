import pytest

from services.rewriter.formats import render
from services.rewriter.prompts import rewrite_prompt
from shared.contracts import KnowledgeFormat
from shared.triple import Triple

FACTS = [
    Triple("France", "capital", "Paris"),
    Triple("France", "borders", "Spain"),
    Triple("France", "borders", "Italy"),
]


@pytest.mark.parametrize(
    ("knowledge_format", "rendered"),
    [
        (KnowledgeFormat.TRIPLES, "(France, capital, Paris) (France, borders, Spain) (France, borders, Italy)"),
        (KnowledgeFormat.TEMPLATE, "The capital of France is Paris. France borders Spain and Italy."),
        (KnowledgeFormat.TEXT, "The capital of France is Paris. France borders Spain and Italy."),
        (KnowledgeFormat.YAML, "France:\n  capital: [Paris]\n  borders: [Spain, Italy]"),
        (KnowledgeFormat.NONE, ""),
    ],
)
def test_each_format(knowledge_format: KnowledgeFormat, rendered: str) -> None:
    assert render(FACTS, knowledge_format) == rendered


def test_prompt_t1_is_the_papers() -> None:
    assert rewrite_prompt("(a {x}, r, b)") == (
        "Your task is to transform a knowledge graph to a sentence or multiple sentences. "
        "The knowledge graph is: (a {x}, r, b). The sentence is:"
    )
