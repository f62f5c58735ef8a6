"""Test which names say little to people who did not choose them."""

import pytest

from language.english.cryptic_names import is_cryptic

_KNOWN = frozenset(["price", "written", "country", "reports", "amount", "released", "on", "name", "units"])


@pytest.mark.parametrize("name", ["amt_eur", "rpts_to", "BY", "IN", "zqx", "prjLead", "st", "x1"])
def test_abbreviations_and_little_words_alone_are_cryptic(name: str) -> None:
    assert is_cryptic(name, _KNOWN)


@pytest.mark.parametrize("name", ["price_eur", "written_by", "inCountry", "reorderLevelling", "iata", "RELEASED_ON"])
def test_words_units_acronyms_and_rare_long_words_are_not(name: str) -> None:
    assert not is_cryptic(name, _KNOWN)
