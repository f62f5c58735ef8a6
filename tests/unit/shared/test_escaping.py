"""Names with markup of any format stay text in every format that the project writes."""

import json
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.escaping import json_text, line_text, markdown_text, text_of_markdown
from tests.support.hostile_names import HOSTILE_NAMES, REORDERING, names_with_markup
from tests.support.markdown import links, shown_text


def cleaned(name: str) -> str:
    """Return what remains of a name in a paragraph: line breaks are spaces, and control characters are replaced."""
    spaced = "".join(" " if one in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029" else one for one in name)
    kept = "".join(
        "\ufffd" if unicodedata.category(one) in ("Cc", "Cs") or one in "\ufffe\uffff" else one for one in spaced
    )
    return "".join(one for one in kept if one not in REORDERING)


@given(names_with_markup())
@pytest.mark.parametrize("template", ["{}", "{}.", "The capital of {} is Paris.", "Yes: {} and {}"])
def test_a_name_in_markdown_is_nothing_but_text(template: str, name: str) -> None:
    text = template.replace("{}", name)
    assert shown_text(markdown_text(text)).strip() == cleaned(text).strip()


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_known_attacks_in_markdown_are_nothing_but_text(name: str) -> None:
    assert shown_text(markdown_text(name)).strip() == cleaned(name).strip()
    assert "<" not in markdown_text(name)


@given(names_with_markup(), names_with_markup())
def test_a_name_cannot_redefine_the_target_of_a_citation(name: str, title: str) -> None:
    quoted = markdown_text(" ".join(title.split())).replace('"', "&quot;")
    markdown = f'{markdown_text(name)} [1]\n\n[1]: https://kgqa.example/evidence/1 "{quoted}"'
    assert links(markdown) == ["https://kgqa.example/evidence/1"]


@pytest.mark.parametrize(
    "name",
    [
        "Paris", "AT&T", "O'Hara, \"Scarlett\"", "snake_case_name", "a < b".replace("<", "-"), "C#", "50 % (approx.)",
        "-5.2", "1996-08-01", "2 + 2 = 4", "rock 'n' roll!", "user@example.org", "https://example.org/a_b?c=d&e=f",
        "Switzerland -borders-> answer", "Москва", "東京", "نیویورک",
    ],
)  # fmt: skip
def test_ordinary_names_stay_as_they_are(name: str) -> None:
    assert markdown_text(name) == name


@given(names_with_markup())
@example("\\&lt;\\\\")
def test_markdown_reads_back_as_the_text(name: str) -> None:
    assert text_of_markdown(markdown_text(name)) == re.sub("^ +", " ", cleaned(name))


@given(names_with_markup())
def test_a_line_stays_one_line_without_controls(name: str) -> None:
    line = line_text(name)
    assert line.splitlines() in ([], [line])
    assert not any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") or one in REORDERING for one in line)


@pytest.mark.parametrize("name", ["Zürich", "東\u3000京", "a\u00a0b", "نی\u200cویورک", "👩\u200d🚀", "{[x]} \\ 'y'"])
def test_a_line_keeps_what_is_printed(name: str) -> None:
    assert line_text(name) == name


@given(st.recursive(names_with_markup(), lambda inner: st.lists(inner) | st.dictionaries(names_with_markup(), inner)))
def test_json_keeps_its_meaning_and_shows_no_controls(value: object) -> None:
    escaped = json_text(json.dumps(value, ensure_ascii=False))
    assert json.loads(escaped) == value
    assert not any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") or one in REORDERING for one in escaped)
