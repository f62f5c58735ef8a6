import pytest

from graph.store import WalkRule
from question_sets.records import QuestionRecord
from services.retriever.linking.masking import MASK
from shared.errors import InvalidInputError
from tests.fakes.graph import InMemoryGraph
from training.retriever.dataset import Dataset, build_dataset
from training.retriever.examples import MaskedQuestion

CAPITALS = {"France": "Paris", "Spain": "Madrid", "Peru": "Lima", "Kenya": "Nairobi"}
GRAPH = InMemoryGraph(
    [(country, "capital", city) for country, city in CAPITALS.items()]
    + [("France", "borders", "Spain"), ("Spain", "borders", "France")]
)


def record(question: str, topic: str | None, path: tuple[str, ...] | None, *answers: str) -> QuestionRecord:
    return QuestionRecord(question=question, topic=topic, answers=answers, path=path)


def wordings(count: int, path: tuple[str, ...] | None = ("capital",), wording: str = "capital") -> list[QuestionRecord]:
    """Return `count` distinct questions about Peru."""
    return [record(f"{wording} number {place} of Peru", "Peru", path, "Lima") for place in range(count)]


async def built(train: list[QuestionRecord], valid: list[QuestionRecord] | None = None) -> Dataset[MaskedQuestion]:
    return await build_dataset(GRAPH, train, valid, seed=1)


async def test_many_good_questions_give_no_warning() -> None:
    dataset = await built(wordings(200))

    assert dataset.warnings == ()
    assert dataset.learnt_from == "200 questions with relation paths"


@pytest.mark.parametrize("path", [("capital",), None])
async def test_a_tenth_of_the_wordings_is_held_out(path: tuple[str, ...] | None) -> None:
    dataset = await built(wordings(200, path))

    assert (len(dataset.training), len(dataset.validation)) == (180, 20)
    trained, held_out = ({question.text for question in part} for part in (dataset.training, dataset.validation))
    assert not trained & held_out
    assert {record.question.replace("Peru", MASK) for record in dataset.held_out} == held_out


async def test_few_questions_are_used_for_training_and_validation_with_a_warning() -> None:
    dataset = await built(wordings(19))

    assert dataset.training == dataset.validation
    assert len(dataset.held_out) == 19
    assert dataset.warnings == (
        "only 19 distinct questions, so none was held out: the scores and the confidence are unreliable",
    )


async def test_a_warning_recommends_more_questions() -> None:
    [warning] = (await built(wordings(20))).warnings
    [with_valid] = (await built(wordings(15), wordings(15, wording="main city"))).warnings

    assert warning.startswith("only 20 distinct questions; a good retriever")
    assert with_valid.startswith("only 15 distinct questions; a good retriever")


async def test_given_validation_questions_are_held_out_as_they_are() -> None:
    valid = [*wordings(2, wording="main city"), *wordings(2, None, wording="seat of government")]

    dataset = await built(wordings(30), valid)

    assert list(dataset.held_out) == valid
    assert len(dataset.training) == 30
    assert {question.path for question in dataset.validation} == {("capital",)}
    assert len(dataset.validation) == 4


async def test_paths_that_do_not_lead_to_the_answers_cause_a_warning() -> None:
    wrong = [record(f"capital number {place} of France", "France", ("borders",), "Paris") for place in range(200)]

    dataset = await built(wrong)

    assert dataset.warnings == ("the questions' paths do not lead to their answers; check some of the paths by hand",)
    assert max(dataset.walk_rules.values()) == 0.0


async def test_unusable_questions_are_counted_in_warnings() -> None:
    odd = [
        record("capital of Atlantis", "Atlantis", ("capital",), "Poseidonis"),
        record("what is the capital there", "France", ("capital",), "Paris"),
        record("what is the capital here", "France", ("capital",), "Paris"),
        record("who knows France", "France", None, "nobody"),
    ]

    dataset = await built([*wordings(200), *odd])

    assert dataset.warnings == (
        "questions without a path whose topic or answers the graph does not know were left out (1 of 204)",
        "questions whose topic entity the graph does not know are less useful for training (1 of 204)",
        "questions that do not mention their topic entity were used unmasked (2 of 204)",
    )


async def test_questions_with_paths_and_with_answers_are_combined() -> None:
    dataset = await built([*wordings(10), *wordings(10, None, wording="main city")])

    assert dataset.learnt_from == "10 questions with relation paths and 10 questions with answers alone"
    assert {question.path for question in (*dataset.training, *dataset.validation)} == {("capital",)}


async def test_the_walk_rule_is_fitted_to_answers_where_no_path_is_given() -> None:
    graph = InMemoryGraph([("Ann", "parent", "Zoe"), ("Bob", "parent", "Zoe")])
    asked = [record("children of the parent of Ann", "Ann", None, "Ann", "Bob")]

    assert (await build_dataset(graph, asked, None, seed=1)).walk_rule == WalkRule("walk", False)


async def test_without_questions_synthetic_ones_are_generated() -> None:
    dataset = await built([])

    paths = {question.path for question in (*dataset.training, *dataset.validation)}
    assert {("capital",), ("borders", "capital"), ("^capital",)} <= paths
    assert list(dataset.held_out) == []
    assert dataset.learnt_from.startswith("the graph alone")
    assert "synthetic questions" in dataset.warnings[0]


async def test_synthetic_questions_are_added_to_english_ones_only() -> None:
    english = await built(wordings(30))
    russian = await built([record(f"столица номер {i} Peru", "Peru", ("capital",), "Lima") for i in range(30)])

    assert 0 < len(english.synthetic) <= len(english.training)
    assert any(question.path != ("capital",) for question in english.synthetic)
    assert list(russian.synthetic) == []


@pytest.mark.parametrize("valid", [True, False])
async def test_unusable_questions_are_refused(valid: bool) -> None:
    useless = [record("who knows France", "France", None, "nobody")]

    with pytest.raises(InvalidInputError, match=r"cannot learn from any of the questions \(1 in all\)"):
        await (built(wordings(30), useless) if valid else built(useless))
