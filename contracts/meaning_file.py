"""Read what the owner of a graph says of its kinds, relationships, and properties: `meaning.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StrictBool, ValidationError

from contracts.base import Contract, stripped
from contracts.toml_lines import lines_of
from graph.plan.meaning import KINDS, PROPERTIES, RELATIONSHIPS, Address
from graph.plan.schema import Meaning
from shared.errors import InvalidInputError
from shared.suggestions import did_you_mean, similar_names
from shared.text import VISIBLE
from shared.validation import error_text

MAX_BYTES = 1_000_000
MAX_NAMES, MAX_NAME, MAX_DESCRIPTION = 20, 60, 500
SECTIONS = (KINDS, RELATIONSHIPS, PROPERTIES)
_HIDDEN = "hidden"
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of an entry, which is left out or counts only in part, with its line."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(frozen=True)
class MeaningFile:
    """Hold the entries of a file by their addresses, with their lines, and what is wrong with others."""

    meanings: Mapping[Address, Meaning] = field(default_factory=dict)
    lines: Mapping[Address, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


NOTHING_SAID = MeaningFile()


def toml_text(text: str) -> str:
    """Return a text as a TOML string."""
    escaped = text.translate(_ESCAPES)
    return '"' + "".join(one if one.isprintable() else f"\\U{ord(one):08X}" for one in escaped) + '"'


def header(address: Address) -> str:
    """Return the header of the table that describes an element.

    Example:
        >>> header(("kinds", "Cost Center"))
        '[kinds."Cost Center"]'
    """
    return f"[{'.'.join(one if one and _BARE.issuperset(one) else toml_text(one) for one in address)}]"


def read_meaning_file(file: Path) -> MeaningFile:
    """Read a file; an absent one says nothing.

    Raises:
        InvalidInputError: The file cannot be read, is too large, or is not TOML.
    """
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return NOTHING_SAID
    except IsADirectoryError as error:
        raise InvalidInputError(f"{file} is a folder; move it away, and write a file instead") from error
    except OSError as error:
        raise InvalidInputError(f"{file}: {error.strerror}; let the user of this process read the file") from error
    if len(content) > MAX_BYTES:
        raise InvalidInputError(f"{file} has more than {MAX_BYTES:,} bytes; describe fewer elements")
    try:
        return parse_meaning(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file} is not UTF-8: {error}; save it as UTF-8") from error
    except InvalidInputError as error:
        raise InvalidInputError(f"{file}: {error.detail}") from error


def parse_meaning(text: str) -> MeaningFile:
    """Read the text of a file; entries that are wrong are left out, and become problems.

    Raises:
        InvalidInputError: The text is not TOML; the message names the line.
    """
    try:
        data = tomllib.loads(text)
        lines = lines_of(text)
    except RecursionError as error:
        raise InvalidInputError("the values are nested too deeply; nest them less") from error
    except ValueError as error:
        raise InvalidInputError(f"not TOML: {error}; correct it, or see kgqa describe --help") from error
    reader = _Reader(lines)
    for section, entries in data.items():
        reader.read_section(section, entries)
    problems = sorted(reader.problems, key=lambda one: one.line)
    return MeaningFile(reader.meanings, {one: reader.line(one) for one in reader.meanings}, tuple(problems))


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float | date | datetime | time) else value


def _has_words(text: str) -> str:
    if not any(character.isalnum() for character in text):
        raise ValueError("a name needs a letter or a digit")
    return " ".join(text.split())


_Name = Annotated[str, stripped(MAX_NAME), VISIBLE, AfterValidator(_has_words)]
_Names = Annotated[tuple[_Name, ...], Field(max_length=MAX_NAMES)]
_Example = Annotated[str, BeforeValidator(_as_text), stripped(MAX_DESCRIPTION)]


class _Described(Contract):
    model_config = ConfigDict(extra="forbid", frozen=True)

    names: _Names = ()
    description: Annotated[str, stripped(MAX_DESCRIPTION)] | None = None
    examples: Annotated[tuple[_Example, ...], Field(max_length=MAX_NAMES)] = ()
    hidden: StrictBool = False


class _Relationship(_Described):
    inverse_names: _Names = ()


class _Property(_Described):
    unit: Annotated[str, stripped(MAX_NAME)] | None = None


_MODELS: Mapping[str, type[_Described]] = {KINDS: _Described, RELATIONSHIPS: _Relationship, PROPERTIES: _Property}


def _means_hidden(key: str, model: type[_Described]) -> bool:
    """Return whether a key is `hidden`, or an unknown one that is most like it."""
    return key == _HIDDEN or (
        key not in model.model_fields and similar_names(key.lower(), model.model_fields)[:1] == [_HIDDEN]
    )


class _Reader:
    """Collect entries, and problems with others."""

    def __init__(self, lines: Mapping[Address, int]) -> None:
        self.meanings: dict[Address, Meaning] = {}
        self.problems: list[Problem] = []
        self._lines = lines

    def line(self, path: Address) -> int:
        """Return the line of a table or key; that of what is around it if it has none of its own."""
        while path and path not in self._lines:
            path = path[:-1]
        # Within `[kinds.Person]`, the table `kinds` has no line, but what is in it has.
        return self._lines.get(path, 1)

    def read_section(self, section: str, entries: Any) -> None:
        if section not in SECTIONS:
            close = did_you_mean(section, SECTIONS) or f"; use {', '.join(SECTIONS)}"
            line = min((number for path, number in self._lines.items() if path[0] == section), default=1)
            self.problems.append(Problem(line, f"unknown section {section!r}{close}"))
            return
        for name, entry in self._tables((section,), entries):
            if section == PROPERTIES:
                self._read_entry((section, name), PROPERTIES, entry)
                continue
            own = {key: value for key, value in entry.items() if key != PROPERTIES}
            if own or not entry:
                self._read_entry((section, name), section, own)
            for key, one in self._tables((section, name, PROPERTIES), entry.get(PROPERTIES, {})):
                self._read_entry((section, name, PROPERTIES, key), PROPERTIES, one)

    def _tables(self, path: Address, found: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if not isinstance(found, Mapping):
            self._add(path, f"expected tables, such as {header((*path, 'NAME'))}")
            return
        for name, one in found.items():
            if isinstance(one, Mapping):
                yield name, one
            else:
                self._add((*path, name), f"expected a table, such as {header((*path, 'NAME'))}, found a value")

    def _read_entry(self, address: Address, section: str, entry: Mapping[str, Any]) -> None:
        model = _MODELS[section]
        try:
            read = model.model_validate(dict(entry))
        except ValidationError as error:
            is_hidden = any(value is not False and _means_hidden(key, model) for key, value in entry.items())
            self._add_invalid(address, model, error.errors()[0], is_hidden)
            if is_hidden:  # a mistake must not show what is to be hidden
                self.meanings[address] = Meaning(is_hidden=True)
            return
        self.meanings[address] = Meaning(
            names=tuple(dict.fromkeys(read.names)),
            inverse_names=tuple(dict.fromkeys(getattr(read, "inverse_names", ()))),
            description=read.description or "",
            unit=getattr(read, "unit", None) or "",
            examples=read.examples,
            is_hidden=read.hidden,
        )

    def _add_invalid(
        self, address: Address, model: type[_Described], error: Mapping[str, Any], is_hidden: bool
    ) -> None:
        key = str(error["loc"][0])
        if error["type"] == "extra_forbidden":
            known = ", ".join(model.model_fields)
            text = f"unknown key {key!r}{did_you_mean(key, model.model_fields) or f'; use {known}'}"
        else:
            text = f"{'.'.join(map(str, error['loc']))}: {error_text(error)}"
        effect = "is hidden, but nothing else of it counts" if is_hidden else "is left out"
        self._add((*address, key), f"{header(address)} {effect}: {text}")

    def _add(self, path: Address, text: str) -> None:
        self.problems.append(Problem(self.line(path), text))
