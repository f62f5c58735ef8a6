"""Keep the questions whose plans an owner vouches for, with slots: `orders of {customer:Customer} since {day:date}`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from contracts.base import Contract, QuestionText
from contracts.json_lines import read_json_lines
from graph.plan.algebra import Constant, Plan
from graph.plan.checks import check_plan, read_plan
from graph.plan.schema import GraphSchema
from graph.plan.traversal import rewrite, walk
from graph.plan.values import Value
from language.comparable import comparable
from shared.errors import InvalidInputError

DATE, NUMBER, TEXT, ENTITY = "date", "number", "text", "entity"
VALUE_TYPES = frozenset((DATE, NUMBER, TEXT))
"""Types of slots that values fill; nodes fill all others."""
_SLOT = re.compile(r"\{([A-Za-z_]\w*):\s*([^{}\s][^{}]*)\}")
_EXAMPLES: Mapping[str, Value] = {DATE: date(2000, 1, 1), NUMBER: 1, TEXT: "text", ENTITY: "text"}


class TrustedQuestion(Contract):
    """A question that an owner pinned to a plan.

    Attributes:
        name: What the owner calls it.
        wordings: Ways to ask it. A slot is `{name:type}`, whose type is `date`, `number`, `text`, a kind of node, or
            `entity` for any node.
        plan: The plan as JSON, in which the constant `"{name}"` stands for what fills a slot.
    """

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    wordings: Annotated[tuple[QuestionText, ...], Field(min_length=1, max_length=50)]
    plan: dict[str, Any]

    def filled(self, values: Mapping[str, Value]) -> Plan:
        """Return the plan with a value for each slot."""

        def replacement(part: Any) -> Any:
            if isinstance(part, Constant) and isinstance(part.value, str) and (name := _slot_of(part.value)) in values:
                return Constant(values[name])
            return None

        return rewrite(read_plan(self.plan), replacement)


@dataclass(frozen=True, slots=True)
class Wording:
    """A way to ask a trusted question, as a pattern, and the types of its slots by name."""

    pattern: re.Pattern[str]
    slots: Mapping[str, str]


def wording(text: str) -> Wording:
    """Compile a wording; words match whatever their case, and slots match anything.

    Example:
        >>> wording("orders of {who:Customer}").pattern.fullmatch(comparable("Orders of Ann?")).groupdict()
        {'who': 'Ann'}
    """
    slots = {slot.group(1): slot.group(2).strip() for slot in _SLOT.finditer(text)}
    # Words, the name of a slot, its type, words, ...
    words = _SLOT.split(text)[::3]
    names = _SLOT.split(text)[1::3]
    if len(slots) < len(names):
        raise InvalidInputError(f"the wording {text!r} has a slot twice; name each slot once")
    if any("{" in part or "}" in part for part in words):
        raise InvalidInputError(f"the wording {text!r} has a brace outside of a slot; write slots as {{name:type}}")
    if not any(character.isalnum() for part in words for character in part):
        raise InvalidInputError(f"the wording {text!r} has no words besides its slots, so it would match any question")
    if any(not part for part in words[1:-1]):
        raise InvalidInputError(f"the wording {text!r} has slots next to each other; put words between them")
    literals = [re.escape(comparable(part, is_whole=False)) for part in words[:-1]] + [re.escape(comparable(words[-1]))]
    pieces = [literals[0]]
    for name, after in zip(names, literals[1:], strict=True):
        # A slot ends where the words after it begin, so that no question takes long to match.
        pieces += [f"(?P<{name}>(?:(?!{after}).)+)" if after else f"(?P<{name}>.+)", after]
    return Wording(re.compile("".join(pieces), re.IGNORECASE), slots)


def in_wording(text: str, values: Mapping[str, str]) -> str:
    """Return a wording with texts in its slots.

    Example:
        >>> in_wording("orders of {who:Customer}", {"who": "Ann"})
        'orders of Ann'
    """
    return _SLOT.sub(lambda slot: values[slot.group(1)], text)


def check(question: TrustedQuestion, schema: GraphSchema) -> None:
    """Raise InvalidInputError if the wordings and the plan do not fit each other, or the graph."""
    wanted = {name for part in walk(read_plan(question.plan)) if (name := _slot_in(part))}
    slots: dict[str, str] = {}
    for text in question.wordings:
        found = wording(text).slots
        if found.keys() != wanted:
            raise InvalidInputError(
                f"{question.name}: the wording {text!r} has the slots {_listed(found)}, but the plan has "
                f"{_listed(wanted)}"
            )
        slots |= found
    for name, type_ in slots.items():
        if type_ not in _EXAMPLES and type_ not in schema.kinds:
            raise InvalidInputError(
                f"{question.name}: the slot {name!r} has the type {type_!r}; use date, number, text, entity, or a "
                "kind of the graph"
            )
    examples = {name: _EXAMPLES.get(type_, "text") for name, type_ in slots.items()}
    try:
        check_plan(question.filled(examples), schema, strict=True)
    except InvalidInputError as error:
        raise InvalidInputError(f"{question.name}: {error.detail}") from None


def read_file(file: Path) -> list[TrustedQuestion]:
    """Read a file with one question per line; an absent file has none. Raise InvalidInputError that names the line."""
    if not file.is_file():
        return []
    try:
        return list(read_json_lines(file, TrustedQuestion, _problem))
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file} is not UTF-8: {error}; save it as UTF-8") from error


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}"


def _slot_of(text: str) -> str:
    return text[1:-1] if re.fullmatch(r"\{\w+\}", text) else ""


def _slot_in(part: Any) -> str:
    return _slot_of(part.value) if isinstance(part, Constant) and isinstance(part.value, str) else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
