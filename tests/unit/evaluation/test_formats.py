from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from contracts.answers import EvidenceTriples
from evaluation.formats import ComparedFormat, FormatOutcome, FormatPipeline, by_format
from evaluation.options import EvaluationOptions
from evaluation.report import FormatsReport, summarise_formats
from evaluation.run import ask_all
from question_sets.journal import Journal
from question_sets.records import QuestionRecord
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.errors import DependencyError, InvalidInputError, UnknownEntityError
from shared.triple import Triple
from tests.fakes.llm import FailingModel, ScriptedModel
from tests.fakes.services import FakeRetrieval, capital_of_france

RECORDS = [
    QuestionRecord(question=f"What is the capital of France? ({number})", topic="France", answers=("Paris",))
    for number in range(4)
]
OPTIONS = EvaluationOptions("g", Path("r"), Path("q"))
DESCRIBED = {name: "x" for name in FormatsReport.model_fields if name != "forms"}


def answer(prompt: str) -> str:
    """Answer right from sentences and triples, and wrong from YAML or without facts."""
    return "Paris." if "is Paris" in prompt or "(France, capital, Paris)" in prompt else "Rome."


def pipeline(
    qa_model: ScriptedModel,
    verbalise: Callable[[str], str] = lambda _: "The capital of France is Paris.",
    retrieval: FakeRetrieval | None = None,
) -> FormatPipeline:
    rewriter = Rewriter(ScriptedModel(verbalise), InMemoryTextCache(0))
    base = ScriptedModel(lambda prompt: "Once upon a time.")
    return FormatPipeline(retrieval or FakeRetrieval(capital_of_france()), rewriter, base, qa_model, OPTIONS)


async def ask(
    file: Path,
    formats: list[ComparedFormat],
    asked: FormatPipeline,
    records: Sequence[QuestionRecord] = RECORDS,
) -> list[FormatOutcome]:
    with Journal(file, {"questions": "same"}, FormatOutcome) as journal:
        finished = {(line.number, line.form) for line in journal}
        systems = {form: partial(asked.ask, form) for form in formats}
        await ask_all(list(enumerate(records)), systems, finished, journal.add, lambda done, total: None)
        return list(journal)


def report(outcomes: list[FormatOutcome], *formats: ComparedFormat) -> FormatsReport:
    return summarise_formats(by_format(outcomes, range(4)), formats, DESCRIBED)


async def test_formats_are_compared_on_the_same_questions(tmp_path: Path) -> None:
    outcomes = await ask(tmp_path / "o", list(ComparedFormat), pipeline(ScriptedModel(answer)))
    compared = report(outcomes, *ComparedFormat)
    assert {found.form: found.hits1 for found in compared.forms} == {
        ComparedFormat.NONE: 0.0,
        ComparedFormat.TRIPLES: 1.0,
        ComparedFormat.TEMPLATE: 1.0,
        ComparedFormat.YAML: 0.0,
        ComparedFormat.TEXT: 1.0,
        ComparedFormat.OFF_THE_SHELF: 0.0,
    }
    text = next(found for found in compared.forms if found.form is ComparedFormat.TEXT)
    assert text.against_none is not None and text.against_triples is not None
    assert (text.against_none.helpful, text.against_none.harmful, text.against_none.questions) == (4, 0, 4)
    assert (text.against_triples.helpful, text.against_triples.harmful) == (0, 0)
    assert (text.by_template, text.covered) == (0.0, 1.0)
    off_the_shelf = next(found for found in compared.forms if found.form is ComparedFormat.OFF_THE_SHELF)
    assert off_the_shelf.covered == 0.0
    assert text.prompt_tokens > compared.forms[0].prompt_tokens > 0
    (hits_head, hits), (costs_head, costs) = compared.tables()
    assert all(len(row) == len(hits_head) for row in hits)
    assert all(len(row) == len(costs_head) for row in costs)
    hits_by_format, costs_by_format = ({row[0]: row for row in rows} for rows in (hits, costs))
    assert hits_by_format["text"] == ("text", "4", "100.00", "51.01 to 100.00", "+4 -0", "+0 -0")
    assert costs_by_format["text"][:4] == ("text", "27", "0.0 %", "100.0 %")


async def test_texts_by_template_are_counted(tmp_path: Path) -> None:
    found = capital_of_france()
    facts = [*found.evidence[0].triples, Triple("France", "coaches", "Europe")]
    retrieval = FakeRetrieval(found.model_copy(update={"evidence": [EvidenceTriples(triples=facts)]}))
    qa_model = ScriptedModel(lambda prompt: "Paris." if "is Paris. France: coaches" in prompt else "Rome.")
    unfaithful = pipeline(qa_model, lambda _: "The capital of Mars is Paris.", retrieval)
    (text,) = report(await ask(tmp_path / "o", [ComparedFormat.TEXT], unfaithful), ComparedFormat.TEXT).forms
    assert (text.by_template, text.hits1) == (1.0, 1.0)
    assert text.against_none is None


async def test_finished_outcomes_are_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "o"
    first = ScriptedModel(answer)
    await ask(file, [ComparedFormat.TRIPLES], pipeline(first))
    torn = file.read_text(encoding="utf-8")[:-20]
    file.write_text(torn, encoding="utf-8")
    second = ScriptedModel(answer)
    outcomes = await ask(file, [ComparedFormat.TRIPLES, ComparedFormat.NONE], pipeline(second))
    assert (len(first.prompts), len(second.prompts)) == (4, 5)
    assert sum(outcome.form is ComparedFormat.TRIPLES for outcome in outcomes) == 4
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    keys = [(outcome.number, outcome.form) for outcome in map(FormatOutcome.model_validate_json, lines)]
    assert len(set(keys)) == len(keys) == 8


async def test_outcomes_are_kept_if_a_model_fails(tmp_path: Path) -> None:
    rewriter = Rewriter(FailingModel(), InMemoryTextCache(0))
    retrieval = FakeRetrieval(capital_of_france())
    failing = FormatPipeline(retrieval, rewriter, FailingModel(), ScriptedModel(answer), OPTIONS)
    with pytest.raises(DependencyError):
        await ask(tmp_path / "o", [ComparedFormat.TRIPLES, ComparedFormat.OFF_THE_SHELF], failing)
    with Journal(tmp_path / "o", {"questions": "same"}, FormatOutcome) as journal:
        assert [outcome.form for outcome in journal] == [ComparedFormat.TRIPLES] * 4


async def test_an_unknown_topic_leaves_the_model_without_knowledge(tmp_path: Path) -> None:
    unknown = pipeline(ScriptedModel(answer), retrieval=FakeRetrieval(UnknownEntityError("no")))
    (text,) = report(await ask(tmp_path / "o", [ComparedFormat.TEXT], unknown), ComparedFormat.TEXT).forms
    assert (text.hits1, text.by_template) == (0.0, None)


async def test_the_journal_of_another_comparison_is_rejected(tmp_path: Path) -> None:
    await ask(tmp_path / "o", [ComparedFormat.TRIPLES], pipeline(ScriptedModel(answer)))
    with pytest.raises(InvalidInputError, match="started with questions 'same', not 'other'"):
        Journal(tmp_path / "o", {"questions": "other"}, FormatOutcome)


async def test_a_block_of_questions_is_asked_in_one_format_and_then_in_the_next(tmp_path: Path) -> None:
    model = ScriptedModel(answer)
    await ask(tmp_path / "o", [ComparedFormat.TEMPLATE, ComparedFormat.TEXT, ComparedFormat.TEMPLATE], pipeline(model))
    numbers = [prompt.split("(")[-1][0] for prompt in model.prompts]
    assert numbers == ["0", "1", "2", "3"] * 2


async def test_admitting_ignorance_is_correct_for_an_unanswerable_question(tmp_path: Path) -> None:
    unanswerable = [QuestionRecord(question="capital of Mars?", answers=(), path=())]
    for said, right in (("I don't know.", 1.0), ("Paris.", 0.0)):
        outcomes = await ask(tmp_path / said, [ComparedFormat.NONE], pipeline(ScriptedModel([said])), unanswerable)
        (none,) = report(outcomes, ComparedFormat.NONE).forms
        assert none.hits1 == right
