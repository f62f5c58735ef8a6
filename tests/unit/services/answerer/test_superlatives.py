from typing import Any

import pytest

from services.answerer.superlatives import Chosen, Measure, superlative


@pytest.mark.parametrize(
    ("label", "value", "chosen", "clause"),
    [
        ("born", "1971-07-30", Chosen(1, False, 0), "Ann was born first: 1971-07-30"),
        ("born", "1971-07-30", Chosen(1, False, 1), "Ann was born second: 1971-07-30"),
        ("born", "1971-07-30", Chosen(1, True, 0), "Ann was born last: 1971-07-30"),
        ("born", "1971-07-30", Chosen(1, True, 1), "Ann has the second latest born: 1971-07-30"),
        ("started at", "2024-01-14", Chosen(1, False, 0), "Ann started first: 2024-01-14"),
        ("arrived", "1994-10-20", Chosen(1, False, 0), "Ann arrived first: 1994-10-20"),
        ("founded", 1898, Chosen(1, False, 0), "Ann was founded first: 1898"),
        ("sold", 12, Chosen(1, True, 0), "Ann has the highest sold: 12"),
        ("birth date", "1971-07-30", Chosen(1, False, 0), "Ann has the earliest birth date: 1971-07-30"),
        ("rank", "gold", Chosen(1, False, 0), "Ann has the alphabetically first rank: gold"),
        ("soundcheck", "PT1H", Chosen(1, True, 0), "Ann has the longest soundcheck: PT1H"),
        ("price", 45, Chosen(1, True, 0, is_of_two=True), "Ann has the higher price: 45"),
        ("height", 181, Chosen(1, False, 0, is_of_two=True), "Ann has the smaller height: 181"),
    ],
)
def test_what_comes_first_is_said(label: str, value: Any, chosen: Chosen, clause: str) -> None:
    assert superlative("Ann", "", Measure(label, value, str(value)), chosen) == clause


def test_durations_of_the_graph_are_longest_and_shortest() -> None:
    measure = Measure("downtime", "P10D", "10 days", is_duration=True)
    assert superlative("Mill", "", measure, Chosen(1, True, 0)) == "Mill has the longest downtime: 10 days"
    assert superlative("Mill", "", measure, Chosen(1, False, 0)) == "Mill has the shortest downtime: 10 days"


def test_counts_say_what_they_count() -> None:
    counted = Measure("count", 4, "4", noun="mission")
    assert superlative("Ann", "", counted, Chosen(1, True, 2)) == "Ann has the third most missions: 4"
    assert superlative("Ann", "", counted, Chosen(1, False, 0, is_of_two=True)) == "Ann has fewer missions: 4"
