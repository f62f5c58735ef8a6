from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.formats import Form, FormOutcome, Outcomes, Tried, compare, sampled
from evaluation.formats_report import COST_HEAD, HITS_HEAD, FormsReport, cost_rows, figures, hits_rows
from question_sets.records import QuestionRecord
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.errors import DependencyError, InvalidInputError, UnknownEntityError
from tests.fakes.llm import FailingModel, ScriptedModel
from tests.fakes.services import FakeRetrieval, capital_of_france

RECORDS = [
    QuestionRecord(question=f"What is the capital of France? ({number})", topic="France", answers=("Paris",))
    for number in range(4)
]
NUMBERS = range(4)
NAMES = {name: "x" for name in FormsReport.model_fields if name != "forms"}


def qa(prompt: str) -> str:
    """Knows from sentences and triples, not from YAML; without facts it guesses wrong."""
    return "Paris." if "is Paris" in prompt or "(France, capital, Paris)" in prompt else "Rome."


def tried(
    qa_model: ScriptedModel, verbalise: Callable[[str], str] = lambda _: "The capital of France is Paris."
) -> Tried:
    rewriter = Rewriter(ScriptedModel(verbalise), InMemoryTextCache(0))
    base = ScriptedModel(lambda prompt: "Once upon a time.")
    return Tried(FakeRetrieval(capital_of_france()), rewriter, base, qa_model, 3, 5, with_topic=True)


async def run(file: Path, forms: list[Form], what: Tried) -> Outcomes:
    with Outcomes(file, {"questions": "same"}) as outcomes:
        await compare(list(enumerate(RECORDS)), forms, what, outcomes, lambda done, total: None)
    return outcomes


async def test_forms_are_compared_on_the_same_questions(tmp_path: Path) -> None:
    outcomes = await run(tmp_path / "o", list(Form), tried(ScriptedModel(qa)))
    report = figures(outcomes, NUMBERS, list(Form), NAMES)
    assert {found.form: found.hits1 for found in report.forms} == {
        Form.NONE: 0.0,
        Form.TRIPLES: 1.0,
        Form.TEMPLATE: 1.0,
        Form.YAML: 0.0,
        Form.TEXT: 1.0,
        Form.OFF_THE_SHELF: 0.0,
    }
    text = next(found for found in report.forms if found.form is Form.TEXT)
    assert text.against_none is not None and text.against_triples is not None
    assert (text.against_none.helpful, text.against_none.harmful, text.against_none.questions) == (4, 0, 4)
    assert (text.against_triples.helpful, text.against_triples.harmful) == (0, 0)
    assert (text.by_template, text.covered) == (0.0, 1.0)
    assert report.forms[5].covered == 0.0
    assert text.prompt_tokens > report.forms[0].prompt_tokens > 0
    hits, costs = hits_rows(report), cost_rows(report)
    assert all(len(row) == len(HITS_HEAD) for row in hits)
    assert all(len(row) == len(COST_HEAD) for row in costs)
    assert hits[4] == ("text", "4", "100.00", "51.01 to 100.00", "+4 -0", "+0 -0")
    assert costs[4][:4] == ("text", "27", "0.0 %", "100.0 %")


async def test_what_a_template_had_to_say_is_counted(tmp_path: Path) -> None:
    model = ScriptedModel(qa)
    outcomes = await run(tmp_path / "o", [Form.TEXT], tried(model, lambda _: "The capital of Mars is Paris."))
    (text,) = figures(outcomes, NUMBERS, [Form.TEXT], NAMES).forms
    assert (text.by_template, text.hits1) == (1.0, 1.0)
    assert text.against_none is None


async def test_no_outcome_is_asked_for_twice(tmp_path: Path) -> None:
    file = tmp_path / "o"
    first = ScriptedModel(qa)
    await run(file, [Form.TRIPLES], tried(first))
    torn = file.read_text(encoding="utf-8")[:-20]
    file.write_text(torn, encoding="utf-8")
    second = ScriptedModel(qa)
    outcomes = await run(file, [Form.TRIPLES, Form.NONE], tried(second))
    assert (len(first.prompts), len(second.prompts)) == (4, 5)
    assert len(outcomes.of(NUMBERS, Form.TRIPLES)) == 4
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    keys = [(outcome.number, outcome.form) for outcome in map(FormOutcome.model_validate_json, lines)]
    assert len(set(keys)) == len(keys) == 8


async def test_what_was_done_is_kept_when_a_model_goes_away(tmp_path: Path) -> None:
    failing = Tried(
        FakeRetrieval(capital_of_france()),
        Rewriter(FailingModel(), InMemoryTextCache(0)),
        FailingModel(),
        ScriptedModel(qa),
        3,
        5,
        with_topic=True,
    )
    with pytest.raises(DependencyError):
        await run(tmp_path / "o", [Form.TRIPLES, Form.OFF_THE_SHELF], failing)
    with Outcomes(tmp_path / "o", {"questions": "same"}) as outcomes:
        assert len(outcomes.of(NUMBERS, Form.TRIPLES)) == 4


async def test_an_unknown_topic_leaves_the_model_without_facts(tmp_path: Path) -> None:
    what = tried(ScriptedModel(qa))
    lost = Tried(FakeRetrieval(UnknownEntityError("no")), what.rewriter, what.base, what.qa_model, 3, 5, True)
    (text,) = figures(await run(tmp_path / "o", [Form.TEXT], lost), NUMBERS, [Form.TEXT], NAMES).forms
    assert (text.hits1, text.by_template) == (0.0, None)


async def test_outcomes_of_another_comparison_are_not_mixed_in(tmp_path: Path) -> None:
    await run(tmp_path / "o", [Form.TRIPLES], tried(ScriptedModel(qa)))
    with pytest.raises(InvalidInputError, match="begun with questions 'same', not 'other'"):
        Outcomes(tmp_path / "o", {"questions": "other"})


async def test_a_question_is_not_asked_from_two_forms_in_a_row_nor_twice_from_one(tmp_path: Path) -> None:
    model = ScriptedModel(qa)
    await run(tmp_path / "o", [Form.TEMPLATE, Form.TEXT, Form.TEMPLATE], tried(model))
    numbers = [prompt.split("(")[-1][0] for prompt in model.prompts]
    assert numbers == ["0", "1", "2", "3"] * 2


async def test_who_says_so_is_right_where_the_graph_does_not_know(tmp_path: Path) -> None:
    unknown = [(0, QuestionRecord(question="capital of Mars?", answers=(), path=()))]
    for said, right in (("I don't know.", 1.0), ("Paris.", 0.0)):
        with Outcomes(tmp_path / said, {}) as outcomes:
            await compare(unknown, [Form.NONE], tried(ScriptedModel([said])), outcomes, lambda done, total: None)
        (none,) = figures(outcomes, [0], [Form.NONE], NAMES).forms
        assert none.hits1 == right


def test_a_sample_is_the_same_for_a_seed_and_in_the_files_order() -> None:
    drawn = sampled(RECORDS * 10, 7, seed=0)
    assert drawn == sampled(RECORDS * 10, 7, seed=0) != sampled(RECORDS * 10, 7, seed=1)
    assert [number for number, _ in drawn] == sorted({number for number, _ in drawn})
    assert sampled(RECORDS, None, 0) == sampled(RECORDS, 99, 0) == list(enumerate(RECORDS))
