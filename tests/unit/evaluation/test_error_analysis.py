import pytest

from evaluation.error_analysis import Cause, FormatCause, format_errors, pipeline_errors
from evaluation.formats import ComparedFormat, FormatOutcome
from evaluation.outcomes import Outcome
from graph.store import RelationPath, WalkRule
from question_sets.records import QuestionRecord
from tests.fakes.graph import InMemoryGraph

GRAPH = InMemoryGraph([("France", "capital", "Paris"), ("France", "borders", "Spain"), ("Spain", "capital", "Madrid")])
CAPITAL = QuestionRecord(question="capital of France", topic="France", answers=("Paris",), path=("capital",))
LOST = QuestionRecord(question="mayor of France", topic="France", answers=("Anne",), path=("capital",))
UNKNOWN = QuestionRecord(question="president of France", topic="France", answers=(), path=())
BARE = QuestionRecord(question="capital of France", topic=None, answers=("Paris",))


def outcome(
    record: QuestionRecord,
    *answers: str,
    topic: str = "France",
    path: RelationPath = ("capital",),
    failed: bool = False,
) -> Outcome:
    return Outcome(record, topic, len(path), path, answers, None, ms=1.0, failed=failed)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (outcome(CAPITAL, failed=True), Cause.FAILED),
        (outcome(UNKNOWN, "Paris"), Cause.ANSWERED),
        (outcome(LOST, "Paris"), Cause.GRAPH),
        (outcome(CAPITAL, "Madrid", topic="Spain"), Cause.LINKED),
        (outcome(CAPITAL), Cause.SILENT),
        (outcome(CAPITAL, "Spain", path=("borders",)), Cause.PATH),
        (outcome(CAPITAL, "Spain", path=()), Cause.PLAN),
        (outcome(BARE, "Spain", path=()), Cause.PLAN),
        (outcome(CAPITAL, "Lyon", "Paris"), Cause.ORDER),
        (outcome(BARE, "Spain", path=("borders",)), Cause.PATH),
    ],
)
async def test_each_error_has_a_cause(wrong: Outcome, why: Cause) -> None:
    [found] = await pipeline_errors([wrong], GRAPH, WalkRule())
    assert found.why == why
    assert found.question == wrong.record.question


async def test_correct_outcomes_are_left_out_and_the_order_is_kept() -> None:
    outcomes = [outcome(LOST, "Paris"), outcome(CAPITAL, "Paris"), outcome(UNKNOWN), outcome(CAPITAL)]
    found = await pipeline_errors(outcomes, GRAPH, WalkRule())
    assert [error.why for error in found] == [Cause.GRAPH, Cause.SILENT]
    assert await pipeline_errors([], GRAPH, WalkRule()) == []


WRITTEN_BY = {3: QuestionRecord(question="who wrote it", topic="It", answers=("Eugene Burdick", "Paul Mazursky"))}


def format_outcome(form: ComparedFormat, said: str, hit: bool = False, knowledge: str = "") -> FormatOutcome:
    return FormatOutcome(
        number=3,
        form=form,
        question="who wrote it",
        said=said,
        hit=hit,
        knowledge=knowledge,
        prompt_tokens=1,
        rewritten=0,
        by_template=0,
        uncovered=0,
        rewrite_ms=0.0,
        answer_ms=0.0,
    )


@pytest.mark.parametrize(
    ("said", "knowledge", "why"),
    [
        ("Nobody", "It was written.", FormatCause.LACKING),
        ("I don't know.", "It was written by Eugene Burdick.", FormatCause.SILENT),
        ("I don't know.", "", FormatCause.LACKING),
        ("", "It was written by Eugene Burdick.", FormatCause.SILENT),
        ("Eugenie Burdick", "It was written by Eugene Burdick.", FormatCause.MISSPELT),
        (
            "Harvey Wheeler, Paul Mazurky and Robert Dean Klein",
            "It was written by Eugene Burdick.",
            FormatCause.MISSPELT,
        ),
        ("It", "It was written by Eugene Burdick.", FormatCause.BESIDE),
        ("Harvey Wheeler", "It was written by Eugene Burdick.", FormatCause.OTHER),
    ],
)
def test_each_format_error_has_a_cause(said: str, knowledge: str, why: FormatCause) -> None:
    [error] = format_errors([format_outcome(ComparedFormat.TEXT, said, knowledge=knowledge)], [], WRITTEN_BY)
    assert (error.why, error.harmful) == (why, None)


def test_only_a_models_text_can_lack_the_answer() -> None:
    [error] = format_errors([format_outcome(ComparedFormat.YAML, "Harvey Wheeler")], [], WRITTEN_BY)
    assert error.why is FormatCause.OTHER


def test_answering_an_unanswerable_question_is_the_first_cause() -> None:
    unknown = {3: QuestionRecord(question="who wrote it", topic="It", answers=(), path=())}
    [error] = format_errors([format_outcome(ComparedFormat.TRIPLES, "Eugene Burdick")], [], unknown)
    assert error.why is FormatCause.UNKNOWN


def test_an_error_is_harmful_if_triples_give_the_right_answer() -> None:
    well = format_outcome(ComparedFormat.TRIPLES, "Eugene Burdick", hit=True)
    wrong = format_outcome(ComparedFormat.TRIPLES, "I don't know.")
    text = format_outcome(ComparedFormat.TEXT, "I don't know.")

    def harmful(outcomes: list[FormatOutcome], triples: FormatOutcome) -> list[tuple[ComparedFormat, bool | None]]:
        return [(error.form, error.harmful) for error in format_errors(outcomes, [triples], WRITTEN_BY)]

    assert harmful([well, text], well) == [(ComparedFormat.TEXT, True)]
    assert harmful([text], well) == [(ComparedFormat.TEXT, True)]
    assert harmful([wrong, text], wrong) == [(ComparedFormat.TRIPLES, None), (ComparedFormat.TEXT, False)]
    assert harmful([well], well) == []
