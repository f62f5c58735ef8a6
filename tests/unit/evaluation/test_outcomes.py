from contracts.answers import UNSUPPORTED_ANSWER
from contracts.ask import AskResponse, Timings
from evaluation.outcomes import outcome_of
from question_sets.records import QuestionRecord
from tests.fakes.services import capital_of_france

RECORD = QuestionRecord(question="capital of France", topic="France", answers=("Paris",), path=("capital",))


def reply(*degraded: str) -> AskResponse:
    retrieved = capital_of_france()
    shared = {name: getattr(retrieved, name) for name in AskResponse.model_fields if hasattr(retrieved, name)}
    timings = Timings(link=0, retrieve=0, rewrite=0, answer=0, total=0)
    warnings = [{"kind": kind, "text": kind} for kind in degraded if kind == UNSUPPORTED_ANSWER]
    own: dict[str, object] = {"answer": "It is Paris.", "answer_type": "entities", "abstained": False}
    own |= {
        "degraded": [kind for kind in degraded if kind != UNSUPPORTED_ANSWER],
        "omitted_evidence": 0,
        "columns": [],
        "rows": [],
    }
    own |= {"columns": [], "rows": [], "evidence": [], "warnings": warnings, "timings_ms": timings, "request_id": "1"}
    return AskResponse.model_validate(
        {**shared, **own, "evidence": [], "warnings": warnings, "timings_ms": timings, "request_id": "1"},
        from_attributes=True,
    )


def test_an_outcome_of_retrieval_has_no_text() -> None:
    outcome = outcome_of(RECORD, capital_of_france(), 2.0)
    assert (outcome.topic, outcome.hops, outcome.path, outcome.answers) == ("France", 1, ("capital",), ("Paris",))
    assert (outcome.text, outcome.in_evidence, outcome.next_best) == (None, True, ("borders",))
    assert outcome.is_correct


def test_a_text_counts_only_if_the_model_wrote_it() -> None:
    texts = [outcome_of(RECORD, reply(*degraded), 2.0).text for degraded in ((), ("cache",), ("unsupported_answer",))]
    assert texts == ["It is Paris.", "It is Paris.", ""]


def test_yes_and_no_are_true_and_false() -> None:
    def is_right(gold: str, *, is_true: bool) -> bool:
        answer = capital_of_france().answers[0].model_copy(update={"value": is_true})
        record = QuestionRecord(question="Is it Paris?", answers=(gold,))
        outcome = outcome_of(record, capital_of_france().model_copy(update={"answers": [answer]}), 2.0)
        assert outcome.is_exact == outcome.is_correct
        return outcome.is_exact

    assert is_right("Yes", is_true=True)
    assert is_right("true", is_true=True)
    assert is_right("no", is_true=False)
    assert not is_right("yes", is_true=False)


def test_a_table_is_right_by_its_rows_if_the_gold_table_is_known() -> None:
    def is_exact(record: QuestionRecord, rows: list[list[object]]) -> bool:
        answers = [capital_of_france().answers[0].model_copy(update={"value": row[0]}) for row in rows]
        changes = {"answers": answers, "columns": ["city", "count"][: len(rows[0])], "rows": rows}
        return outcome_of(record, capital_of_france().model_copy(update=changes), 2.0).is_exact

    table = QuestionRecord.model_validate({"question": "q", "rows": [["Bern", 2], ["Oslo", 3]]})
    column = QuestionRecord(question="q", answers=("Bern", "Oslo"))

    assert is_exact(table, [["Oslo", 3], ["Bern", 2]])
    assert not is_exact(table, [["Oslo", 2], ["Bern", 3]])
    assert not is_exact(table, [["Oslo"], ["Bern"]])
    assert is_exact(column, [["Oslo", 2], ["Bern", 3]])
