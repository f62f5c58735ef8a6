import random

import pytest

from services.rewriter.faithfulness import check_faithfulness
from shared.triple import Triple
from training.synthetic.derived import relations_of
from training.synthetic.evidence import Item, RealGraph, Step, sentences
from training.synthetic.world import WORLD


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("directed_by", {"A was directed by B.", "B directed A."}),
        ("written_by", {"A was written by B.", "B wrote A."}),
        ("starred_actors", {"The starred actor of A is B.", "B is the starred actor of A."}),
        ("has_genre", {"The genre of A is B."}),
        ("owned_by", {"A is owned by B."}),
        ("ledBy", {"A is led by B."}),
        ("located_in", {"A is located in B."}),
        ("borders", {"A borders B."}),
        ("member_of", {"A is a member of B."}),
        ("in_language", {"A: in language B."}),
        ("won", {"A: won B."}),
        ("is_alive", {"A: is alive B."}),
        ("x12", {"A: x12 B."}),
    ],
)
def test_a_relation_is_said_by_the_form_of_its_name(relation: str, said: set[str]) -> None:
    (known,) = relations_of([relation], {}).values()
    item = Item((Step(known, relation, False),), ("A",), ("B",))
    texts = {sentences(item, random.Random(seed), usual=0.5) for seed in range(30)}
    assert said <= texts


def test_what_somebody_worded_by_hand_comes_first() -> None:
    relations = relations_of(["capital", "directed_by"], WORLD)
    assert relations["capital"] is WORLD["capital"]
    assert "directed_by" not in WORLD


def test_derived_texts_are_faithful() -> None:
    names = ["directed_by", "starred_actors", "has_genre", "release_year", "in_language", "born_in", "plays_for"]
    facts = [Triple(f"Film {n}", relation, f"Name {n % 7}") for n in range(40) for relation in names]
    graph = RealGraph(facts, relations_of(names, {}), random.Random(1))
    for number in range(300):
        item = graph.item(1 + number % 2)
        if item:
            text = sentences(item, random.Random(number))
            assert check_faithfulness(text, item.triples) == [], text
