import pytest

from ingestion.relation_names import relation_names


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["<http://e.org/p#directedBy>", "<http://e.org/q/writtenBy>"], ["directedBy", "writtenBy"]),
        (["<http://e.org/p#by>", "<http://e.org/q#by>"], ["http://e.org/p#by", "http://e.org/q#by"]),
        (["<loves>", "loves"], ["<loves>", "loves"]),
        (["<http://e.org/p#by>", "by", "http://e.org/p#by"], ["<http://e.org/p#by>", "by", "http://e.org/p#by"]),
        (["<http://e.org/^knows>"], ["http://e.org/^knows"]),
    ],
)
def test_relation_names_stay_distinct(keys: list[str], names: list[str]) -> None:
    assert relation_names(keys) == names
