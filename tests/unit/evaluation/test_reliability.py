from evaluation.reliability import Verdict, reliability_score

RIGHT, WRONG = Verdict(0.9, is_right=True, is_answerable=True), Verdict(0.9, is_right=False, is_answerable=True)
SILENT, UNKNOWN = Verdict(0.1, is_right=True, is_answerable=True), Verdict(0.1, is_right=False, is_answerable=False)


def test_a_wrong_answer_costs_what_the_caller_says() -> None:
    assert reliability_score([RIGHT, RIGHT, WRONG, UNKNOWN], 10, 0.5) == 100 * (3 - 10) / 4
    assert reliability_score([RIGHT, RIGHT, WRONG, UNKNOWN], 1, 0.5) == 50


def test_silence_scores_the_share_of_unanswerable_questions() -> None:
    assert reliability_score([RIGHT, WRONG, SILENT, UNKNOWN], 10, 1.0) == 25


def test_no_answer_is_silence_at_any_threshold() -> None:
    assert reliability_score([Verdict(0.0, is_right=False, is_answerable=False)], 10, 0.0) == 100


def test_no_questions_score_nothing() -> None:
    assert reliability_score([], 10, 0.5) == 0
