from hypothesis import given
from hypothesis import strategies as st

from question_sets.repeated_questions import RepeatedQuestions

_MEASURED = ("Which movies were released in 2003?", "How many ships call at Turku each year")
_SAID = ("which", "how", "many", "ships", "call", "at", "turku", "each", "year", "in", "2003", "movies", "released")
_WORDS = st.lists(st.sampled_from(_SAID), min_size=1)


def test_questions_in_other_letters_repeat_each_other() -> None:
    measured = RepeatedQuestions(_MEASURED)
    assert "which MOVIES were released in 2003" in measured
    assert "how many ships call at Turku in each year?" in measured
    assert "which movies were released in 2004" not in measured
    assert "" not in measured


@given(st.lists(_WORDS, max_size=5), _WORDS)
def test_the_index_finds_what_a_comparison_with_all_questions_finds(
    measured: list[list[str]], asked: list[str]
) -> None:
    alike = any(len({*one} & {*asked}) >= 0.8 * len({*one} | {*asked}) for one in measured)
    assert (" ".join(asked) in RepeatedQuestions(" ".join(one) for one in measured)) == alike
