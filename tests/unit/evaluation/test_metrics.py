import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import interval_of_mean, lenient_hit, percentile, set_scores, strict_hit
from question_sets.records import QuestionRecord

names = st.lists(st.text(alphabet="abc é", min_size=1).filter(str.strip), max_size=5)


def test_a_strict_hit_compares_the_whole_first_answer_after_normalization() -> None:
    assert strict_hit(["côte d'ivoire"], ["Cote d’Ivoire"])
    assert not strict_hit(["Spain", "France"], ["France"])
    assert not strict_hit(["Paris, Texas"], ["Paris"])
    assert not strict_hit([], ["Paris"])


def test_without_gold_answers_only_abstaining_is_a_strict_hit() -> None:
    assert strict_hit([], [])
    assert not strict_hit(["Paris"], [])


def test_a_lenient_hit_matches_whole_words_only() -> None:
    assert lenient_hit("It is Paris, of course.", ["Lyon", "Paris"])
    assert lenient_hit("the euro", ["Euro"])
    assert not lenient_hit("Parisian", ["Paris"])
    assert not lenient_hit("cat", ["a"])


@pytest.mark.parametrize(
    ("answer", "gold"), [("11", "-11"), ("+05:00", "-05:00"), ("C", "C++"), ("Identity", "#identity")]
)
def test_a_different_sign_or_mark_is_a_different_answer(answer: str, gold: str) -> None:
    assert not strict_hit([answer], [gold])
    assert not lenient_hit(f"It is {answer}.", [gold])
    assert set_scores([answer], [gold]) == (0, 0, 0)
    assert strict_hit([gold.replace("-", "−")], [gold])
    assert not QuestionRecord(question="q", answers=(gold,)).is_answered_by([answer], ())


def test_precision_recall_and_f1_of_known_sets() -> None:
    assert set_scores(["a", "b"], ["b", "c"]) == (0.5, 0.5, 0.5)
    assert set_scores(["a"], ["a", "b", "c"]) == (1.0, 1 / 3, 0.5)
    assert set_scores([], []) == (1, 1, 1)
    assert set_scores(["a"], []) == set_scores([], ["a"]) == (0, 0, 0)


@given(names, names)
def test_precision_is_the_others_recall_and_f1_lies_between(left: list[str], right: list[str]) -> None:
    precision, recall, f1 = set_scores(left, right)
    assert set_scores(right, left) == (recall, precision, f1)
    assert min(precision, recall) - 1e-9 <= f1 <= max(precision, recall) + 1e-9
    assert set_scores(left, left) == (1, 1, 1)


@given(st.lists(st.floats(0, 1000), min_size=1), st.sampled_from([0.5, 0.99, 1.0]))
def test_percentile_covers_its_share(values: list[float], share: float) -> None:
    at = percentile(values, share)
    assert at in values
    assert sum(value <= at for value in values) >= share * len(values)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_an_interval_contains_the_mean_within_0_and_1_and_is_deterministic(values: list[float]) -> None:
    low, high = interval_of_mean(values)
    assert -1e-9 <= low <= sum(values) / len(values) + 1e-9
    assert sum(values) / len(values) - 1e-9 <= high <= 1 + 1e-9
    assert interval_of_mean(values) == (low, high)


@pytest.mark.parametrize(("low_value", "high_value"), [(0.0, 1.0), (0.25, 0.75)])
def test_an_interval_has_the_width_that_theory_predicts(low_value: float, high_value: float) -> None:
    low, high = interval_of_mean([low_value, high_value] * 200)
    # 1.96 x the standard deviation / sqrt(400): .049 to either side for a share of one half, half that for half the
    # spread.
    half = 0.049 * (high_value - low_value)
    assert low == pytest.approx(0.5 - half, abs=0.003)
    assert high == pytest.approx(0.5 + half, abs=0.003)


def test_a_few_hits_in_a_row_leave_a_wide_interval() -> None:
    low, high = interval_of_mean([1.0] * 10)
    assert (round(low, 3), high) == (0.722, 1.0)
    assert interval_of_mean([0] * 10) == pytest.approx((0.0, 0.278), abs=0.001)


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        interval_of_mean([])
