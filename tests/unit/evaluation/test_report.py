from dataclasses import replace

import pytest

from evaluation.outcomes import Outcome, unanswered
from evaluation.report import Report, summarise
from question_sets.records import QuestionRecord

NAMES = {"graph": "g", "retriever": "r", "questions_file": "q", "topic": "given", "format": "text"}
CAPITAL = QuestionRecord(question="capital of France", topic="France", answers=("Paris",), path=("capital",))
UNKNOWN = QuestionRecord(question="president of France", topic="France", answers=(), path=())


def outcome(record: QuestionRecord, *answers: str, text: str | None = None) -> Outcome:
    return Outcome(record, "France", len(record.path or ()), record.path or (), answers, text, ms=2.0)


def shown(report: Report) -> dict[str, str]:
    (_, rows), *_ = report.tables()
    return {row[0]: row[1] for row in rows}


def test_measures_of_a_correct_and_a_wrong_answer() -> None:
    report = summarise([outcome(CAPITAL, "Paris", text="Paris."), outcome(CAPITAL, "Lyon", text="Paris")], NAMES)
    assert (report.questions, report.strict_hits1, report.lenient_hits1, report.set_f1) == (2, 0.5, 0.5, 0.5)
    assert (report.path_accuracy, report.hop_accuracy, report.linking_accuracy) == (1, 1, 1)
    assert report.answerer_hits1 == 1
    assert (report.set_precision, report.set_recall) == (0.5, 0.5)
    assert report.intervals["strict_hits1"] == pytest.approx((0.095, 0.905), abs=0.001)
    assert report.intervals["answerer_hits1"] == pytest.approx((0.342, 1.0), abs=0.001)
    assert shown(report)["strict_hits1"] == "0.5000 (0.095 to 0.905)"
    assert report.latency_ms == {"p50": 2.0, "p99": 2.0}


def test_abstaining_is_correct_for_an_unanswerable_question() -> None:
    report = summarise([outcome(UNKNOWN), outcome(UNKNOWN, "Paris"), outcome(CAPITAL)], NAMES)
    assert report.strict_hits1 == 1 / 3
    assert (report.unanswerable, report.abstained, report.abstained_rightly) == (2, 2, 1)


def test_a_rejected_question_counts_as_wrong() -> None:
    report = summarise([unanswered(CAPITAL, 1.0, with_text=True)], NAMES)
    assert (report.strict_hits1, report.linking_accuracy, report.answerer_hits1) == (0, 0, 0)


def test_a_failure_does_not_count_as_abstaining() -> None:
    report = summarise([unanswered(UNKNOWN, 1.0, with_text=True, failed=True)], NAMES)
    assert (report.strict_hits1, report.lenient_hits1, report.set_f1, report.answerer_hits1) == (0, 0, 0, 0)
    assert (report.failed, report.abstained, report.abstained_rightly) == (1, 0, 0)


def test_measures_without_gold_values_are_none_and_shown_as_a_dash() -> None:
    record = QuestionRecord(question="q", topic=None, answers=("Paris",))
    report = summarise([outcome(record, "Paris")], NAMES)
    assert report.path_accuracy is None
    assert report.answerer_hits1 is None
    assert "answerer_hits1" not in report.intervals
    assert shown(report)["path_accuracy"] == "–"


def test_a_wrong_answer_costs_what_the_score_says() -> None:
    right = replace(outcome(CAPITAL, "Paris"), is_exact=True, confidence=0.95)
    wrong = replace(outcome(CAPITAL, "Lyon"), confidence=0.85)
    invented = replace(outcome(UNKNOWN, "Paris"), confidence=0.4)

    report = summarise([right, wrong, invented, outcome(UNKNOWN)], NAMES)

    assert report.reliability == {"RS(1)": 50.0, "RS(5)": -50.0, "RS(10)": 75.0, "RS of silence": 50.0}
    assert report.coverage_at_risk == {"coverage at 5 % wrong": 0.25, "coverage at 2 % wrong": 0.25}
    assert shown(report)["RS(10)"] == "75.0"


def test_a_picture_shows_how_many_answers_of_each_confidence_are_right() -> None:
    right = replace(outcome(CAPITAL, "Paris"), is_exact=True, confidence=0.93)
    wrong = replace(outcome(CAPITAL, "Lyon"), confidence=0.97)

    head, rows = summarise([right, wrong, replace(wrong, confidence=0.25), outcome(UNKNOWN)], NAMES).diagram()

    assert [row[:3] for row in rows] == [("0.2", "1", "0.0 %"), ("0.9", "2", "50.0 %")]
    low, high = (row[3] for row in rows)
    assert (low.count("█"), low.index("┃")) == (0, 10)
    assert (high.count("█"), high.index("┃")) == (20, 38)
    assert len(head[3]) == len(low) == len(high) == 40


def test_a_failure_is_no_silence_that_scores() -> None:
    failed = unanswered(UNKNOWN, 1.0, with_text=True, failed=True)
    assert summarise([failed], NAMES).reliability["RS(1)"] == 0.0


def test_kinds_of_questions_are_reported_apart() -> None:
    count = CAPITAL.model_copy(update={"kind": "count"})
    right = replace(outcome(count, "Paris"), is_exact=True, confidence=0.9)
    wrong = replace(outcome(count, "Lyon"), confidence=0.8)
    silent = replace(outcome(CAPITAL.model_copy(update={"kind": "path"})), confidence=0.2)

    report = summarise([right, wrong, silent], NAMES)

    assert list(report.by_kind) == ["count", "path"]
    assert (report.by_kind["count"].right, report.by_kind["count"].confidently_wrong) == (0.5, 1)
    assert report.by_kind["path"].silent == 1
    assert (report.execution_accuracy, report.confidently_wrong, report.auroc) == (1 / 3, 1, 1.0)
    _, (_, kinds), (_, curve), _ = report.tables()
    assert kinds[0][:2] == ("count", "2")
    assert curve[-1] == ("0.9", "33.3 %", "0.0 %")
