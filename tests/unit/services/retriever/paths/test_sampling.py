import pytest

from graph.store import Entity, PathEnd, PathWalk, RelationPath, WalkRule
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_predictor import PredictedPath
from services.retriever.paths.sampling import (
    MAX_EVIDENCE,
    MAX_LOWER_ANSWERS,
    CandidatePath,
    WalkedPath,
    group_evidence,
    sample,
    walk_candidates,
)
from shared.errors import TooManyPathsError
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph, InterruptedGraph

FRANCE = LinkedTopic(Entity("France", "France"), None, 1.0)
FACTS = [
    ("France", "borders", "Spain"),
    ("France", "borders", "Belgium"),
    ("Spain", "language", "Spanish"),
    ("Belgium", "language", "Dutch"),
    ("Belgium", "language", "French"),
    ("Belgium", "language", "German"),
    ("France", "language", "French"),
    ("France", "capital", "Paris"),
]
GRAPH = InMemoryGraph(FACTS)


def candidate(score: float, *relations: str) -> CandidatePath:
    return CandidatePath(FRANCE, PredictedPath(relations, score), score)


def walk(path: RelationPath, *reasoning_paths: tuple[Triple, ...]) -> PathWalk:
    reached = tuple(PathEnd(Entity(found[-1].object, found[-1].object), found) for found in reasoning_paths)
    return PathWalk(FRANCE.entity, path, reached, truncated=False)


async def test_only_paths_that_the_graph_has_remain_best_first() -> None:
    candidates = [candidate(0.2, "capital"), candidate(0.9, "mayor"), candidate(0.5, "borders", "language")]

    walked = await walk_candidates(GRAPH, candidates, WalkRule())

    assert [found.path.relations for found, _ in walked] == [("borders", "language"), ("capital",)]
    assert await walk_candidates(GRAPH, [], WalkRule()) == []


async def test_a_lower_path_that_the_store_could_not_finish_is_left_out() -> None:
    store = InterruptedGraph(FACTS, ("borders", "language"))
    candidates = [candidate(0.9, "capital"), candidate(0.5, "borders", "language"), candidate(0.2, "language")]

    walked = await walk_candidates(store, candidates, WalkRule())

    assert [found.path.relations for found, _ in walked] == [("capital",), ("language",)]


async def test_no_lower_path_replaces_the_best_one_if_the_store_could_not_finish_it() -> None:
    candidates = [candidate(0.9, "mayor"), candidate(0.5, "borders", "language"), candidate(0.2, "capital")]

    with pytest.raises(TooManyPathsError, match="too many paths to follow from 'France' along borders language"):
        await walk_candidates(InterruptedGraph(FACTS, ("borders", "language")), candidates, WalkRule())


async def test_reasoning_paths_that_differ_only_in_the_last_triple_are_one_item() -> None:
    walked = await walk_candidates(GRAPH, [candidate(1.0, "borders", "language")], WalkRule())

    result = sample(walked, max_paths=1)

    facts = [[(t.subject, t.relation, t.object) for t in item.triples] for item in result.evidence]
    assert facts == [
        [("France", "borders", "Spain"), ("Spain", "language", "Spanish")],
        [
            ("France", "borders", "Belgium"),
            ("Belgium", "language", "Dutch"),
            ("Belgium", "language", "French"),
            ("Belgium", "language", "German"),
        ],
    ]
    assert [(answer.entity.name, answer.evidence) for answer in result.answers] == [
        ("Spanish", 0),
        ("Dutch", 1),
        ("French", 1),
        ("German", 1),
    ]
    assert len({answer.score for answer in result.answers}) == 1


async def test_lower_pairs_add_new_answers_with_lower_scores() -> None:
    walked = await walk_candidates(
        GRAPH, [candidate(0.5, "language"), candidate(0.5, "borders", "language")], WalkRule()
    )

    result = sample(walked, max_paths=5)

    [best] = result.answers
    others = {answer.entity.name: answer.score for answer in result.other_answers}
    assert best.entity.name == "French"
    assert others["Spanish"] == others["Dutch"] < best.score


async def test_lower_pairs_add_at_most_max_paths_items() -> None:
    walked = await walk_candidates(
        GRAPH, [candidate(0.9, "capital"), candidate(0.5, "borders", "language")], WalkRule()
    )

    assert len(sample(walked, max_paths=1).evidence) == 2
    assert len(sample(walked, max_paths=2).evidence) == 3
    assert [answer.entity.name for answer in sample(walked, max_paths=1).answers] == ["Paris"]
    assert [answer.entity.name for answer in sample(walked, max_paths=1).other_answers] == ["Spanish"]


def test_evidence_of_the_best_path_is_bounded_and_marked_as_truncated() -> None:
    paths = [
        (Triple("France", "borders", str(index)), Triple(str(index), "capital", f"city {index}"))
        for index in range(MAX_EVIDENCE + 1)
    ]

    result = sample(
        [WalkedPath(candidate(0.9, "borders", "capital"), walk(("borders", "capital"), *paths))], max_paths=1
    )

    assert len(result.evidence) == len(result.answers) == MAX_EVIDENCE
    assert result.truncated


def test_a_triple_walked_twice_is_listed_once() -> None:
    there = Triple("France", "borders", "Spain")

    result = sample(
        [WalkedPath(candidate(0.9, "borders", "^borders"), walk(("borders", "^borders"), (there, there)))], max_paths=1
    )

    assert len(result.evidence[0].triples) == 1


def test_groups_keep_the_order_of_appearance() -> None:
    one, two = Triple("a", "r", "b"), Triple("a", "r", "c")
    ends = [
        PathEnd(Entity(name, name), (first, Triple(first.object, "s", name)))
        for first, name in ((one, "x"), (two, "y"), (one, "z"))
    ]

    assert [[reached.entity.name for reached in group] for group in group_evidence(ends)] == [["x", "z"], ["y"]]


def test_no_paths_give_an_empty_sample() -> None:
    result = sample([], max_paths=5)

    assert (result.answers, result.evidence, result.truncated) == ([], [], False)


def test_a_lower_path_does_not_list_thousands_of_answers() -> None:
    many = tuple((Triple("France", "town", f"t{n}"),) for n in range(MAX_LOWER_ANSWERS + 50))
    best = WalkedPath(candidate(0.9, "capital"), walk(("capital",), (Triple("France", "capital", "Paris"),)))

    result = sample([best, WalkedPath(candidate(0.1, "town"), walk(("town",), *many))], max_paths=5)

    assert len(result.other_answers) == MAX_LOWER_ANSWERS
    assert not result.truncated
