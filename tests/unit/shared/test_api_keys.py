import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api_keys import ApiKeys, CallerKey, KeyFile, caller_keys, hash_of, new_key
from shared.errors import InvalidInputError

_KEY = "kgqa_" + 43 * "k"


def test_a_key_is_recognised_and_no_other() -> None:
    keys = ApiKeys({"chatbot": CallerKey(hash_of(_KEY), 60), "page": CallerKey(hash_of(new_key()))})

    assert keys.caller(_KEY) == "chatbot"
    assert keys.caller(new_key()) is None
    assert (keys.per_minute("chatbot"), keys.per_minute("page")) == (60, None)


@given(other=st.text())
def test_what_is_not_a_key_has_no_caller(other: str) -> None:
    assert ApiKeys({"chatbot": CallerKey(hash_of(_KEY))}).caller(other) is None


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
        {"chatbot": {"hash": _KEY}},
        {"chatbot": {"hash": hash_of(_KEY), "per_minute": 0}},
        {"chatbot": {"hash": hash_of(_KEY), "per_minute": True}},
        {"chatbot": {"hash": hash_of(_KEY), "per_hour": 5}},
        {"chatbot": {"per_minute": 5}},
        {"chatbot": {"hash": hash_of(_KEY), "graphs": []}},
        {"chatbot": {"hash": hash_of(_KEY), "graphs": "films"}},
        {"chatbot": {"hash": hash_of(_KEY), "graphs": ["../films"]}},
        {"chatbot": {"hash": hash_of(_KEY), "graphs": [1]}},
        {"chatbot": {"hash": hash_of(_KEY), "scope": []}},
        {"chatbot": {"hash": hash_of(_KEY), "scope": "Document.tenant = 42"}},
        {"chatbot": {"hash": hash_of(_KEY), "scope": ["tenant = 42"]}},
        {"chatbot": {"hash": hash_of(_KEY), "cost_of_wrong": -1}},
        {"chatbot": {"hash": hash_of(_KEY), "cost_of_wrong": 1001}},
        {"chatbot": {"hash": hash_of(_KEY), "cost_of_wrong": "10"}},
        {"chatbot": {"hash": hash_of(_KEY), "cost_of_wrong": True}},
    ],
)
def test_a_setting_that_is_wrong_is_not_quoted(value: object) -> None:
    with pytest.raises(ValueError, match="kgqa keys export") as raised:
        caller_keys(value)
    assert _KEY not in str(raised.value)


def test_an_empty_setting_has_no_keys() -> None:
    assert caller_keys(" \n") == {}


_GRAPHS = st.none() | st.lists(st.sampled_from(["films", "a.b-c"]), min_size=1).map(tuple)


_SCOPES = st.lists(st.sampled_from(["Document.tenant = 42", 'D.team = "a"'])).map(tuple)


_COSTS = st.none() | st.integers(0, 1000) | st.floats(0, 1000)
_LIMITS = st.tuples(st.none() | st.integers(1, 10**9), _GRAPHS, _SCOPES, _COSTS)


@given(st.dictionaries(st.sampled_from("abc"), _LIMITS))
def test_what_is_written_is_read(
    limits: dict[str, tuple[int | None, tuple[str, ...] | None, tuple[str, ...], float | None]],
) -> None:
    keys = {name: CallerKey(hash_of(name), *limited) for name, limited in limits.items()}
    assert caller_keys(json.dumps({name: key.as_json() for name, key in keys.items()})) == keys


def _store(file: Path, content: str) -> None:
    """Replace a file as `kgqa keys` does."""
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(content, encoding="utf-8")
    unfinished.replace(file)


def test_a_change_of_the_file_takes_effect_at_once(tmp_path: Path) -> None:
    file, (first, second) = tmp_path / "keys.json", (new_key(), new_key())
    _store(file, json.dumps({"first": hash_of(first), "second": hash_of(second)}))
    keys = KeyFile(file)
    assert [keys.caller(first), keys.caller(second), keys.are_restricted] == ["first", "second", False]
    _store(file, json.dumps({"second": {"hash": hash_of(second), "graphs": ["films"]}}))
    assert keys.are_restricted
    assert [keys.caller(first), keys.caller(second)] == [None, "second"]
    _store(file, "{}")
    assert keys.caller(second) is None


def test_no_key_is_valid_while_the_file_is_missing_or_damaged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file, key = tmp_path / "keys.json", new_key()
    content = json.dumps({"chatbot": hash_of(key)})
    _store(file, content)
    keys = KeyFile(file)
    _store(file, content[:-5])
    assert [keys.caller(key), keys.caller(key)] == [None, None]
    assert len(caplog.records) == 1
    assert str(file) in caplog.text
    _store(file, content)
    assert keys.caller(key) == "chatbot"
    file.unlink()
    assert keys.caller(key) is None
    _store(file, content[:-5])
    with pytest.raises(InvalidInputError, match="kgqa keys export"):
        KeyFile(file)
