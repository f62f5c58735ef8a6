"""Test where the tables and keys of TOML documents are written."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from contracts.toml_lines import lines_of


def test_headers_keys_and_values_over_several_lines() -> None:
    text = '# first\n[a]\nx = [\n  1,\n]\ny.z = """\n[no]\n"""\n\n[[b."c d"]]\nk = {m = 1}\n'

    assert lines_of(text) == {
        ("a",): 2,
        ("a", "x"): 3,
        ("a", "y"): 6,
        ("a", "y", "z"): 6,
        ("b", "c d"): 10,
        ("b", "c d", "k"): 11,
        ("b", "c d", "k", "m"): 11,
    }


_KEYS = st.text("abc ", min_size=1, max_size=3)
_VALUES = st.sampled_from(["1", '"x"', "[\n1,\n2]", '"""\n[a]\n"""', "{ q = 1 }", "2020-01-01"])


@given(st.dictionaries(_KEYS, st.dictionaries(_KEYS, _VALUES, max_size=3), max_size=4), st.integers(0, 2))
def test_each_table_and_key_of_a_document_has_its_line(tables: dict[str, dict[str, str]], blank: int) -> None:
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for name, entries in tables.items():
        lines += [""] * blank
        expected[(name,)] = len(lines) + 1
        lines.append(f'["{name}"]')
        for key, value in entries.items():
            expected[name, key] = len(lines) + 1
            lines += f'"{key}" = {value}'.split("\n")
    text = "\n".join(lines)

    found = lines_of(text)

    assert {path: line for path, line in found.items() if len(path) < 3} == expected
    assert tomllib.loads(text).keys() == tables.keys()
