import pytest

from shared.graph.spelling import slips, sound, sound_key, word_keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("christel", "kristel"),
        ("rudolf", "rudolph"),
        ("vinny", "vinnie"),
        ("bendicks", "bendix"),
        ("abishek", "abhishek"),
        ("bachan", "bachchan"),
        ("jerard", "gerard"),
    ],
)
def test_words_that_sound_alike(one: str, other: str) -> None:
    assert sound(one) == sound(other)
    assert sound_key(one) == sound_key(other)
    assert sound_key(one) in set(word_keys(other))


@pytest.mark.parametrize(
    ("one", "other"), [("nolan", "dolan"), ("marina", "morena"), ("cage", "page"), ("west", "vest")]
)
def test_words_that_do_not(one: str, other: str) -> None:
    assert sound(one) != sound(other)


@pytest.mark.parametrize("word", ["борис", "北京", "añb", "48th"])
def test_words_of_other_scripts_sound_as_they_are_written(word: str) -> None:
    assert sound(word) == word


@pytest.mark.parametrize(
    ("typed", "name", "expected"),
    [
        ("sylvia kristel", "sylvia kristel", 0),
        ("sylvia christel", "sylvia kristel", 1),
        ("abishek bachan", "abhishek bachchan", 2),
        ("silvia christel", "sylvia kristel", 2),
        ("rudolf", "rudolph", 1),
        ("ice land", "iceland", 1),
        ("taxi driver", "taxi diver", 1),
        ("taxi", "exit", 3),
    ],
)
def test_a_word_that_sounds_like_the_one_meant_is_one_slip(typed: str, name: str, expected: int) -> None:
    assert slips(typed, name) == expected
