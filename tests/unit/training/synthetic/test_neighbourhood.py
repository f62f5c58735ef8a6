from question_sets.records import QuestionRecord
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph
from training.synthetic.neighbourhood import facts_around

FACTS = [("France", "borders", f"Country {number}") for number in range(80)] + [
    ("Country 1", "capital", "City 1"),
    ("City 1", "mayor", "Ann"),
]


async def test_facts_of_the_questions_paths_are_there_and_hubs_are_cut() -> None:
    asked = QuestionRecord(question="q", topic="France", answers=("Ann",), path=("borders", "capital", "mayor"))
    facts = await facts_around(InMemoryGraph(FACTS), [asked], 1)
    assert {Triple(*fact) for fact in FACTS[-2:]} <= set(facts)
    assert Triple("France", "borders", "Country 1") in facts
    assert len(facts) == len(set(facts))
    assert set(facts) <= {Triple(*fact) for fact in FACTS}


async def test_the_same_seed_gives_the_same_facts() -> None:
    graph = InMemoryGraph(FACTS)
    assert await facts_around(graph, [], 3) == await facts_around(graph, [], 3) != []


async def test_a_topic_that_the_graph_lacks_is_passed_over() -> None:
    asked = QuestionRecord(question="q", topic="Mars", answers=("x",), path=("borders",))
    assert await facts_around(InMemoryGraph(FACTS[:3]), [asked], 1)
