import random

from services.rewriter.faithfulness import check_faithfulness
from training.synthetic.evidence import verbalise_item
from training.synthetic.invented_graph import InventedGraph, domains
from training.synthetic.names import STYLES, invent_name


def test_texts_about_invented_graphs_are_faithful() -> None:
    random_ = random.Random(4)
    for number in range(500):
        graph = InventedGraph(random_)
        item = graph.item(graph.path(1 + number % 3))
        text = verbalise_item(item, random_)
        assert check_faithfulness(text, item.triples) == [], (item.triples, text)


def test_each_triple_shares_an_entity_with_the_next() -> None:
    random_ = random.Random(9)
    for _ in range(200):
        graph = InventedGraph(random_)
        item = graph.item(graph.path(3))
        for triple, following in zip(item.triples, item.triples[1 : len(item.steps)], strict=False):
            assert {triple.subject, triple.object} & {following.subject, following.object}


def test_there_are_many_relations_and_every_style_of_name() -> None:
    assert len({relation.words for domain in domains() for relation in domain}) > 200
    random_ = random.Random(1)
    for style in STYLES:
        assert len({invent_name(style, random_) for _ in range(50)}) > 10
