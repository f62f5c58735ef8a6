import random

from services.rewriter.faithfulness import check_faithfulness
from shared.triple import Triple
from training.rewriter.pairs import training_pairs
from training.synthetic.evidence import InventedGraph, RealGraph, sentences
from training.synthetic.lexicon import domains
from training.synthetic.names import name_of, styles
from training.synthetic.world import WORLD

FACTS = [
    Triple("France", "capital", "Paris"),
    Triple("France", "borders", "Spain"),
    Triple("Italy", "borders", "France"),
    Triple("Spain", "capital", "Madrid"),
    Triple("France", "never_heard_of", "Mars"),
]


def test_same_seed_same_pairs() -> None:
    assert training_pairs(20, FACTS, 5) == training_pairs(20, FACTS, 5)
    assert training_pairs(20, FACTS, 5) != training_pairs(20, [], 5)


def test_what_is_trained_on_is_faithful() -> None:
    random_ = random.Random(4)
    for number in range(500):
        graph = InventedGraph(random_)
        item = graph.item(graph.path(1 + number % 3))
        text = sentences(item, random_)
        assert check_faithfulness(text, item.triples) == [], (item.triples, text)


def test_chains_hang_together() -> None:
    random_ = random.Random(9)
    for _ in range(200):
        graph = InventedGraph(random_)
        item = graph.item(graph.path(3))
        for triple, following in zip(item.triples, item.triples[1 : len(item.steps)], strict=False):
            assert {triple.subject, triple.object} & {following.subject, following.object}


def test_evidence_of_a_real_graph_is_walked_as_the_retriever_does() -> None:
    graph = RealGraph(FACTS, WORLD, random.Random(0))
    (item,) = graph.items("France", [("borders", False), ("capital", False)])
    assert item.triples == (Triple("France", "borders", "Spain"), Triple("Spain", "capital", "Madrid"))
    assert graph.items("France", [("borders", False), ("borders", True)]) == []  # the same triple back
    assert graph.items("France", [("never_heard_of", False)]) == []
    assert graph.items("Nowhere", [("capital", False)]) == []


def test_there_are_many_relations_and_every_style_of_name() -> None:
    assert len({relation.words for domain in domains() for relation in domain}) > 200
    random_ = random.Random(1)
    for style in styles():
        assert len({name_of(style, random_) for _ in range(50)}) > 10
