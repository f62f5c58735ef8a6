import pytest

from question_sets.records import QuestionRecord
from services.retriever.linking.mentions import MASK
from shared.errors import InvalidInputError
from shared.graph.store import WalkRule
from tests.fakes.graph import InMemoryGraph
from training.retriever.dataset import Material, gather

CAPITALS = {"France": "Paris", "Spain": "Madrid", "Peru": "Lima", "Kenya": "Nairobi"}
GRAPH = InMemoryGraph(
    [(country, "capital", city) for country, city in CAPITALS.items()]
    + [("France", "borders", "Spain"), ("Spain", "borders", "France")]
)


def record(question: str, topic: str | None, path: tuple[str, ...] | None, *answers: str) -> QuestionRecord:
    return QuestionRecord(question=question, topic=topic, answers=answers, path=path)


def wordings(count: int, path: tuple[str, ...] | None = ("capital",), wording: str = "capital") -> list[QuestionRecord]:
    """So many distinct questions about Peru."""
    return [record(f"{wording} number {place} of Peru", "Peru", path, "Lima") for place in range(count)]


async def gathered(train: list[QuestionRecord], valid: list[QuestionRecord] | None = None) -> Material:
    return await gather(GRAPH, train, valid, seed=1)


async def test_many_good_questions_give_no_warning() -> None:
    material = await gathered(wordings(200))

    assert material.warnings == ()
    assert material.learnt_from == "200 questions with relation paths"


@pytest.mark.parametrize("path", [("capital",), None])
async def test_a_tenth_is_held_out_and_told_apart(path: tuple[str, ...] | None) -> None:
    material = await gathered(wordings(200, path))

    assert (len(material.training), len(material.validation)) == (180, 20)
    trained, held_out = ({question.text for question in part} for part in (material.training, material.validation))
    assert not trained & held_out
    assert {asked.question.replace("Peru", MASK) for asked in material.held_out} == held_out


async def test_few_questions_both_train_and_validate_which_is_said() -> None:
    material = await gathered(wordings(19))

    assert material.training == material.validation
    assert len(material.held_out) == 19
    assert material.warnings == (
        "only 19 distinct questions: none was held out, so the figures and the confidence mean little",
    )


async def test_some_questions_more_would_help_is_said() -> None:
    [warning] = (await gathered(wordings(20))).warnings
    [with_valid] = (await gathered(wordings(15), wordings(15, wording="main city"))).warnings

    assert warning.startswith("only 20 distinct questions; some hundreds")
    assert with_valid.startswith("only 15 distinct questions; some hundreds")


async def test_given_validation_questions_are_held_out_as_they_are() -> None:
    valid = [*wordings(2, wording="main city"), *wordings(2, None, wording="seat of government")]

    material = await gathered(wordings(30), valid)

    assert list(material.held_out) == valid
    assert len(material.training) == 30
    assert {question.path for question in material.validation} == {("capital",)}
    assert len(material.validation) == 4


async def test_paths_that_do_not_lead_to_the_answers_are_told() -> None:
    wrong = [record(f"capital number {place} of France", "France", ("borders",), "Paris") for place in range(200)]

    material = await gathered(wrong)

    assert material.warnings == ("the paths of the questions do not lead to their answers; compare some by hand",)
    assert max(material.walk_rules.values()) == 0.0


async def test_what_teaches_less_is_counted() -> None:
    odd = [
        record("capital of Atlantis", "Atlantis", ("capital",), "Poseidonis"),
        record("what is the capital there", "France", ("capital",), "Paris"),
        record("what is the capital here", "France", ("capital",), "Paris"),
        record("who knows France", "France", None, "nobody"),
    ]

    material = await gathered([*wordings(200), *odd])

    assert material.warnings == (
        "1 of 204 questions tell neither path nor a topic and answers that the graph knows, and were left out",
        "1 of 204 questions have a topic entity that the graph does not know; they teach less",
        "2 of 204 questions do not mention their topic entity; they were trained unmasked",
    )


async def test_told_and_found_paths_are_learnt_together() -> None:
    material = await gathered([*wordings(10), *wordings(10, None, wording="main city")])

    assert material.learnt_from == "10 questions with relation paths and 10 questions with answers alone"
    assert {question.path for question in (*material.training, *material.validation)} == {("capital",)}


async def test_the_walk_rule_of_answers_alone_is_found() -> None:
    graph = InMemoryGraph([("Ann", "parent", "Zoe"), ("Bob", "parent", "Zoe")])
    asked = [record("children of the parent of Ann", "Ann", None, "Ann", "Bob")]

    assert (await gather(graph, asked, None, seed=1)).walk_rule == WalkRule("walk", False)


async def test_without_questions_there_are_made_up_ones() -> None:
    material = await gathered([])

    paths = {question.path for question in (*material.training, *material.validation)}
    assert {("capital",), ("borders", "capital"), ("^capital",)} <= paths
    assert list(material.held_out) == []
    assert material.learnt_from.startswith("the graph alone")
    assert "made-up questions" in material.warnings[0]


async def test_made_up_questions_stand_beside_english_ones_alone() -> None:
    english = await gathered(wordings(30))
    russian = await gathered([record(f"столица номер {i} Peru", "Peru", ("capital",), "Lima") for i in range(30)])

    assert 0 < len(english.beside) <= len(english.training)
    assert any(question.path != ("capital",) for question in english.beside)
    assert list(russian.beside) == []


@pytest.mark.parametrize("valid", [True, False])
async def test_questions_that_teach_nothing_are_refused(valid: bool) -> None:
    useless = [record("who knows France", "France", None, "nobody")]

    with pytest.raises(InvalidInputError, match="none of the 1 questions can be learnt from"):
        await (gathered(wordings(30), useless) if valid else gathered(useless))
