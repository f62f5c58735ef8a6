import random

from question_sets.records import QuestionRecord
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph
from training.synthetic.real_graph import RealGraph, sample_facts
from training.synthetic.relations import relations_by_name

FACTS = [("France", "borders", f"Country {number}") for number in range(80)] + [
    ("Country 1", "capital", "City 1"),
    ("City 1", "mayor", "Ann"),
]


async def test_facts_along_the_questions_paths_are_sampled_and_hubs_are_cut() -> None:
    asked = QuestionRecord(question="q", topic="France", answers=("Ann",), path=("borders", "capital", "mayor"))
    facts = await sample_facts(InMemoryGraph(FACTS), [asked], 1)
    assert {Triple(*fact) for fact in FACTS[-2:]} <= set(facts)
    assert Triple("France", "borders", "Country 1") in facts
    assert len(facts) == len(set(facts))
    assert set(facts) <= {Triple(*fact) for fact in FACTS}


async def test_the_same_seed_gives_the_same_facts() -> None:
    graph = InMemoryGraph(FACTS)
    assert await sample_facts(graph, [], 3) == await sample_facts(graph, [], 3) != []


async def test_a_topic_that_the_graph_lacks_is_ignored() -> None:
    asked = QuestionRecord(question="q", topic="Mars", answers=("x",), path=("borders",))
    assert await sample_facts(InMemoryGraph(FACTS[:3]), [asked], 1)


def test_evidence_is_walked_as_the_retriever_walks_it() -> None:
    facts = [
        Triple("France", "capital", "Paris"),
        Triple("France", "borders", "Spain"),
        Triple("Italy", "borders", "France"),
        Triple("Spain", "capital", "Madrid"),
        Triple("France", "unworded", "Mars"),
    ]
    graph = RealGraph(facts, relations_by_name(["capital", "borders"], {}), random.Random(0))
    (item,) = graph.items("France", ("borders", "capital"))
    assert item.triples == (Triple("France", "borders", "Spain"), Triple("Spain", "capital", "Madrid"))
    assert item.path == ("borders", "capital")
    assert graph.items("France", ("borders", "^borders")) == []  # the same triple back
    assert graph.items("France", ("unworded",)) == []
    assert graph.items("Nowhere", ("capital",)) == []
