"""Graph-text pairs from files: those of `kgqa corpus build`, and those that RRA published (Stanford Alpaca's JSON)."""

import json
import lzma
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from question_sets.records import open_text
from services.rewriter.prompts import rewrite_prompt
from shared.errors import InvalidInputError, NotFoundError
from shared.triple import Triple
from shared.verbalise.formats import as_triples
from training.lora.task import Pair


class _Own(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    facts: tuple[tuple[str, str, str], ...]
    text: str


class _Instruction(BaseModel):
    """RRA's: `instruction` holds the whole prompt T1; where `input` is not empty, it stands below."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    instruction: str
    input: str = ""
    output: str


_INSTRUCTIONS = TypeAdapter(list[_Instruction])


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of a file, plain or .xz, which begins with `[` if it is RRA's; pairs without a text are left out.

    Raises NotFoundError or InvalidInputError for a file that is missing or is neither.
    """
    try:
        with open_text(file) as lines:
            content = lines.read()
    except IsADirectoryError as error:
        raise InvalidInputError(f"{file} is a folder; name a file of pairs in it") from error
    except FileNotFoundError as error:
        raise NotFoundError(f"{file}: there is no such file of pairs") from error
    except (UnicodeDecodeError, lzma.LZMAError, EOFError) as error:
        raise InvalidInputError(f"{file}: not readable as UTF-8 text: {error}") from error
    if content.lstrip().startswith("["):
        pairs = _instructions(content, file)
    else:
        pairs = [_own(line, number, file) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    pairs = [pair for pair in pairs if pair.completion]
    if not pairs:
        raise InvalidInputError(f"{file} holds no pairs")
    return pairs


def _instructions(content: str, file: Path) -> list[Pair]:
    try:
        items = _INSTRUCTIONS.validate_json(content)
    except ValidationError as error:
        raise InvalidInputError(
            f"{file}: {_reason(error)}; pairs in JSON are objects with instruction, input and output"
        ) from error
    return [Pair("\n".join(filter(None, [item.instruction, item.input])), item.output.strip()) for item in items]


def _own(line: str, number: int, file: Path) -> Pair:
    try:
        item = _Own.model_validate(json.loads(line))
    except (ValueError, RecursionError) as error:
        reason = _reason(error) if isinstance(error, ValidationError) else "not JSON"
        raise InvalidInputError(
            f"{file}, line {number}: {reason}; pairs are lines with facts and text, as kgqa corpus build writes them"
        ) from error
    facts = [Triple(*fact) for fact in item.facts]
    return Pair(rewrite_prompt(as_triples(facts)), item.text.strip())


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
