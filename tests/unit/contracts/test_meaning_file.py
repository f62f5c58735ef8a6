"""Test what `meaning.toml` may say, and that a mistake costs no more than its entry."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.meaning_file import MAX_BYTES, MeaningFile, header, parse_meaning, read_meaning_file, toml_text
from graph.plan.schema import Meaning
from shared.errors import InvalidInputError

_SAID = """
# The graph of a firm.
[kinds.Person]
names = [
  "employee",
  "colleague",
]

[kinds.Person.properties.sal]
names = ["salary"]
unit = "euros"
examples = [52_000, 2020-01-31, true]

[relationships]
rpts_to = { names = ["reports to"], inverse_names = ["manages"] }

[properties."start dt"]
description = "The first day."
hidden = true
"""


def test_elements_are_described_with_their_lines() -> None:
    found = parse_meaning(_SAID)

    assert found == MeaningFile(
        {
            ("kinds", "Person"): Meaning(names=("employee", "colleague")),
            ("kinds", "Person", "properties", "sal"): Meaning(
                names=("salary",), unit="euros", examples=("52000", "2020-01-31", "true")
            ),
            ("relationships", "rpts_to"): Meaning(names=("reports to",), inverse_names=("manages",)),
            ("properties", "start dt"): Meaning(description="The first day.", is_hidden=True),
        },
        {
            ("kinds", "Person"): 3,
            ("kinds", "Person", "properties", "sal"): 9,
            ("relationships", "rpts_to"): 15,
            ("properties", "start dt"): 17,
        },
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[kind.Person]\nnames = ["a"]', "line 1: unknown section 'kind'; did you mean 'kinds'?"),
        ('[kinds.A]\nname = ["a"]', "line 2: [kinds.A] is left out: unknown key 'name'; did you mean 'names'?"),
        ('\n[kinds.A]\nnames = "a"', "line 3: [kinds.A] is left out: names: expected an array"),
        ("[kinds.A]\nnames = [\n1]", "line 2: [kinds.A] is left out: names.0: Input should be a valid string"),
        ('[kinds.A]\nnames = ["-"]', "line 2: [kinds.A] is left out: names.0: a name needs a letter or a digit"),
        ('[kinds.A]\nunit = "m"', "line 2: [kinds.A] is left out: unknown key 'unit'; use"),
        ('[properties.a]\ninverse_names = ["m"]', "line 2: [properties.a] is left out: unknown key 'inverse_names'"),
        ("[kinds]\nA = 1", "line 2: expected a table, such as [kinds.NAME], found a value"),
        ("kinds = 3", "line 1: expected tables, such as [kinds.NAME]"),
        ("[kinds.A]\nproperties = 1", "line 2: expected tables, such as [kinds.A.properties.NAME]"),
        (
            '[properties.a]\nnames = ["b"]\nhidden = "yes"',
            "line 3: [properties.a] is hidden, but nothing else of it counts: hidden:",
        ),
        (
            "[kinds.A]\nhiden = true",
            "line 2: [kinds.A] is hidden, but nothing else of it counts: unknown key 'hiden'; did",
        ),
        (
            "[kinds.A]\nHidden = true",
            "line 2: [kinds.A] is hidden, but nothing else of it counts: unknown key 'Hidden'",
        ),
        ("[kinds.A]\nhiden = false", "line 2: [kinds.A] is left out: unknown key 'hiden'; did you mean 'hidden'?"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_costs_its_entry_alone(text: str, problem: str) -> None:
    found = parse_meaning(f'{text}\n[relationships.fine]\nnames = ["good"]')

    assert [str(one)[: len(problem)] for one in found.problems] == [problem]
    assert found.meanings[("relationships", "fine")] == Meaning(names=("good",))


@pytest.mark.parametrize(
    "said", ['hidden = true\nnmes = ["pay"]', 'hidden = "yes"', "hiden = true", "Hidden = true", "hide = true"]
)
def test_a_mistake_does_not_show_what_is_to_be_hidden(said: str) -> None:
    found = parse_meaning(f"[properties.salary]\n{said}")

    assert found.meanings == {("properties", "salary"): Meaning(is_hidden=True)}
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[kinds.A\n", "not TOML: .*line 1"),
        (b"[kinds.A]\nnames = [1,\n", "not TOML: .*end of document"),
        (b"\xff", "not UTF-8"),
        (b"a = " + b"[" * 5000, "nested too deeply"),
        (b"#" * (MAX_BYTES + 1), "more than 1,000,000 bytes"),
        (b"a = " + b"9" * 5000, "not TOML"),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_file(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(content)

    with pytest.raises(InvalidInputError, match=f"mine.toml.*{message}"):
        read_meaning_file(file)


def test_an_absent_file_says_nothing_and_a_folder_is_an_error(tmp_path: Path) -> None:
    assert read_meaning_file(tmp_path / "none.toml") == MeaningFile()
    with pytest.raises(InvalidInputError, match="is a folder; move it away"):
        read_meaning_file(tmp_path)


_PIECES = st.sampled_from(
    (
        "[kinds.A]", "[kinds]", "[[kinds.A]]", "[properties.a]", "kinds = 1", "[", "]", "names", " = ", '"a"', "[1]",
        "\n", "\r\n", "hidden = true", '"""', "'''", "#", "{", "}", ",", "a.b", "properties",
        "[relationships.r.properties.p]",
    )
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_PIECES).map("".join)))
@example('[kinds.A]\nx = """\n[b]\n"""\n')
@example("[[kinds.A]]\n[[kinds.A]]\nnames = []")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_meaning(text)
    except InvalidInputError:
        return
    assert all(1 <= one.line <= text.count("\n") + 1 for one in found.problems)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip))
def test_any_name_can_be_written_as_an_address(name: str) -> None:
    text = f"{header(('kinds', name))}\ndescription = {toml_text('x' + name)}"

    assert list(parse_meaning(text).meanings) == [("kinds", name)]
