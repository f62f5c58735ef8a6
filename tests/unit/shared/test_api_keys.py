import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api_keys import ApiKeys, hash_of, key_hashes, new_key

_KEY = "kgqa_" + 43 * "k"


def test_a_key_is_recognised_and_no_other() -> None:
    keys = ApiKeys({"chatbot": hash_of(_KEY), "page": hash_of(new_key())})

    assert keys.caller(_KEY) == "chatbot"
    assert keys.caller(new_key()) is None


@given(other=st.text())
def test_what_is_not_a_key_has_no_caller(other: str) -> None:
    assert ApiKeys({"chatbot": hash_of(_KEY)}).caller(other) is None


def test_keys_are_random() -> None:
    assert len({new_key() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "value",
    [
        "{",
        "[]",
        '"x"',
        f'{{"chatbot": "{_KEY}"}}',
        '{"chatbot": 1}',
        f'{{"a b": "{hash_of(_KEY)}"}}',
        {"chatbot": _KEY},
    ],
)
def test_a_setting_that_is_wrong_is_not_quoted(value: object) -> None:
    with pytest.raises(ValueError, match="kgqa keys export") as raised:
        key_hashes(value)
    assert _KEY not in str(raised.value)


def test_an_empty_setting_has_no_keys() -> None:
    assert key_hashes(" \n") == {}
    assert key_hashes(f'{{"a": "{hash_of(_KEY)}"}}') == {"a": hash_of(_KEY)}
