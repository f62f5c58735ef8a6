"""Keep the questions whose readings an owner confirmed: `confirmed/GRAPH.jsonl` under `KGQA_HOME`.

A line holds a question with the actions of its plan, which name what they point to: `["KIND", "Film"]`,
`["OUT", "Person", "ACTED_IN"]`, `["PROPERTY", false, "Film", "year"]`, `["VALUE", 12, 20]` for the value that these
characters of the question state, or `["SORT", 0]`.
"""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from contracts.base import Contract, QuestionText
from contracts.json_lines import read_json_lines
from shared.errors import InvalidInputError

StoredAction = Annotated[tuple[str | int | bool, ...], Field(min_length=1, max_length=4)]
LEAST_CONFIRMED = 10
"""The fewest confirmed questions that tell what all questions about a graph have in common."""
MAX_CONFIRMED = 2_000
"""The most confirmed questions about a graph."""


class ConfirmedQuestion(Contract):
    """A question, and the actions of the plan that reads it right."""

    question: QuestionText
    actions: Annotated[tuple[StoredAction, ...], Field(min_length=1, max_length=100)]


def read_confirmed(file: Path) -> list[ConfirmedQuestion]:
    """Read a file of confirmed questions; there are none if it does not exist.

    Raises:
        InvalidInputError: The file cannot be read, or a line is malformed.
    """
    problem = "this is no confirmed question; write the file again with: kgqa confirm"
    try:
        return list(read_json_lines(file, ConfirmedQuestion, lambda _: problem))
    except FileNotFoundError:
        return []
    except IsADirectoryError as error:
        raise InvalidInputError(f"{file} is a folder; move it away, and write a file with: kgqa confirm") from error
    except PermissionError as error:
        raise InvalidInputError(f"{file}: {error.strerror}; let the user of this process read the file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read; write it again with: kgqa confirm") from error
