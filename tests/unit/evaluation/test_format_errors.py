import pytest

from evaluation.format_errors import Why, losses
from evaluation.formats import Form, FormOutcome
from question_sets.records import QuestionRecord

RECORDS = {3: QuestionRecord(question="who wrote it", topic="It", answers=("Eugene Burdick", "Paul Mazursky"))}


def outcome(form: Form, said: str, hit: bool = False, knowledge: str = "") -> FormOutcome:
    return FormOutcome(
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
        ("Nobody", "It was written.", Why.LACKING),
        ("I don't know.", "It was written by Eugene Burdick.", Why.SILENT),
        ("I don't know.", "", Why.LACKING),
        ("", "It was written by Eugene Burdick.", Why.SILENT),
        ("Eugenie Burdick", "It was written by Eugene Burdick.", Why.MISSPELT),
        ("Harvey Wheeler, Paul Mazurky and Robert Dean Klein", "It was written by Eugene Burdick.", Why.MISSPELT),
        ("It", "It was written by Eugene Burdick.", Why.BESIDE),
        ("Harvey Wheeler", "It was written by Eugene Burdick.", Why.OTHER),
    ],
)
def test_each_loss_has_a_reason(said: str, knowledge: str, why: Why) -> None:
    [loss] = losses([outcome(Form.TEXT, said, knowledge=knowledge)], [], RECORDS)
    assert (loss.why, loss.harmful) == (why, None)


def test_knowledge_that_is_not_a_models_text_is_not_kept_and_lacks_nothing() -> None:
    [loss] = losses([outcome(Form.YAML, "Harvey Wheeler")], [], RECORDS)
    assert loss.why is Why.OTHER


def test_what_the_graph_does_not_know_is_no_question_of_spelling() -> None:
    unknown = {3: QuestionRecord(question="who wrote it", topic="It", answers=(), path=())}
    [loss] = losses([outcome(Form.TRIPLES, "Eugene Burdick")], [], unknown)
    assert loss.why is Why.UNKNOWN


def test_what_goes_well_from_triples_is_harmful() -> None:
    well, wrong = outcome(Form.TRIPLES, "Eugene Burdick", hit=True), outcome(Form.TRIPLES, "I don't know.")
    text = outcome(Form.TEXT, "I don't know.")
    assert [(loss.form, loss.harmful) for loss in losses([well, text], [well], RECORDS)] == [(Form.TEXT, True)]
    assert [(loss.form, loss.harmful) for loss in losses([text], [well], RECORDS)] == [(Form.TEXT, True)]
    assert [(loss.form, loss.harmful) for loss in losses([wrong, text], [wrong], RECORDS)] == [
        (Form.TRIPLES, None),
        (Form.TEXT, False),
    ]
    assert losses([well], [well], RECORDS) == []
