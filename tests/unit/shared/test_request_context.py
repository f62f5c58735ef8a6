import pytest

from shared.errors import InvalidInputError
from shared.request_context import (
    DEADLINE_HEADER,
    clear_deadline,
    parse_deadline_header,
    remaining_time,
    time_limit,
)


def test_the_earliest_deadline_holds_until_its_block_ends() -> None:
    assert remaining_time(7) == 7
    with time_limit(5), time_limit(100), time_limit(None):
        assert 4 < remaining_time(7) <= 5
        assert remaining_time(1) == 1
        clear_deadline()
        assert remaining_time(7) == 7
    assert remaining_time(7) == 7


@pytest.mark.parametrize(("value", "seconds"), [(None, None), ("1500", 1.5), ("0", 0.0)])
def test_parses_the_deadline_header_as_milliseconds(value: str | None, seconds: float | None) -> None:
    assert parse_deadline_header(value) == seconds
    assert DEADLINE_HEADER == "X-Timeout-Ms"


@pytest.mark.parametrize("value", ["", "-5", "1e3", "٣", "9" * 30, "abc"])
def test_rejects_an_invalid_deadline_header(value: str) -> None:
    with pytest.raises(InvalidInputError, match="X-Timeout-Ms"):
        parse_deadline_header(value)
