from graph.store import WalkRule
from question_sets.records import QuestionRecord
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph
from training.rewriter.corpus.extract import NO_ANSWER, NO_PATH, NO_TOPIC, NOWHERE, extract

GRAPH = InMemoryGraph(
    [
        ("Alien", "directed_by", "Ridley Scott"),
        ("Gladiator", "directed_by", "Ridley Scott"),
        ("Alien", "starred_actors", "Sigourney Weaver"),
        ("Gladiator", "starred_actors", "Russell Crowe"),
        *(("Crowd", "starred_actors", f"Extra {n}") for n in range(30)),
    ]
)


def asked(topic: str | None, *path: str, answers: tuple[str, ...] = ()) -> QuestionRecord:
    return QuestionRecord(question=f"{topic} {' '.join(path)}", topic=topic, answers=answers, path=path or None)


async def test_reasoning_paths_with_a_common_beginning_are_one_subgraph() -> None:
    path = ("^directed_by", "starred_actors")
    found = await extract(
        GRAPH, [asked("Ridley Scott", *path, answers=("Sigourney Weaver", "Russell Crowe"))], WalkRule()
    )

    assert [subgraph.facts for subgraph in found.subgraphs] == [
        (Triple("Alien", "directed_by", "Ridley Scott"), Triple("Alien", "starred_actors", "Sigourney Weaver")),
        (Triple("Gladiator", "directed_by", "Ridley Scott"), Triple("Gladiator", "starred_actors", "Russell Crowe")),
    ]
    assert [subgraph.answers for subgraph in found.subgraphs] == [("Sigourney Weaver",), ("Russell Crowe",)]


async def test_a_subgraph_holds_no_more_facts_than_one_text_names_in_serving() -> None:
    [crowd] = (
        await extract(
            GRAPH, [asked("Crowd", "starred_actors", answers=tuple(f"Extra {n}" for n in range(30)))], WalkRule()
        )
    ).subgraphs

    assert len(crowd.facts) == MAX_TRIPLES_IN_TEXT == len(crowd.answers)


async def test_questions_that_give_no_subgraph_are_counted_by_their_reason() -> None:
    records = [
        asked(None, answers=("x",)),
        asked("Nosuch", "directed_by", answers=("x",)),
        asked("Ridley Scott", "directed_by", answers=("x",)),
        asked("Alien", "directed_by", answers=("James Cameron",)),
    ]

    found = await extract(GRAPH, records, WalkRule())

    assert found.subgraphs == ()
    assert found.dropped == {NO_PATH: 1, NO_TOPIC: 1, NOWHERE: 1, NO_ANSWER: 1}


async def test_the_same_question_twice_gives_its_subgraphs_once() -> None:
    record = asked("Alien", "directed_by", answers=("Ridley Scott",))

    assert len((await extract(GRAPH, [record, record], WalkRule())).subgraphs) == 1
