"""Ask the questions of an audit log again, and compare the replies with those in the log."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from contracts.answers import answer_names
from contracts.ask import AskResponse
from services.answerer.audit_record import AuditRecord


class Verdict(StrEnum):
    """Say how a reply compares with the one in the log; the order and the texts of answers do not count."""

    SAME = "same"
    CHANGED = "changed"
    NOW_ABSTAINED = "now abstained"
    NOW_ANSWERED = "now answered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """Hold a line that is no record: its number, from 1, and the reason, which does not quote it."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Hold a question whose reply is not the same, and both replies as text, or the error."""

    question: str
    before: str
    now: str


@dataclass(slots=True)
class ReplayReport:
    """Count the verdicts, and keep the first differences of each."""

    kept: int = 10
    counts: Counter[Verdict] = field(default_factory=Counter)
    differences: dict[Verdict, list[Difference]] = field(default_factory=dict)

    def add(self, record: AuditRecord, outcome: AskResponse | str) -> None:
        """Add a reply to the question of a record, or the error."""
        verdict = Verdict.FAILED if isinstance(outcome, str) else compare(record, outcome)
        self.counts[verdict] += 1
        examples = self.differences.setdefault(verdict, [])
        if verdict is not Verdict.SAME and len(examples) < self.kept:
            now = outcome if isinstance(outcome, str) else _text(answer_names(outcome.answers), outcome.rows)
            examples.append(Difference(record.request.question, _text(record.answers, record.rows), now))


def read_audit_log(file: Path) -> tuple[list[AuditRecord], list[BrokenLine]]:
    """Return the records, and the lines that are none, such as one that a full disk cut off."""
    records, broken = list[AuditRecord](), list[BrokenLine]()
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            records.append(AuditRecord.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            broken.append(BrokenLine(number, f"{where}: {first['msg']}" if where else first["msg"]))
    return records, broken


def compare(record: AuditRecord, response: AskResponse) -> Verdict:
    """Return how a reply compares with the one in the log."""
    if record.abstained or response.abstained:
        if record.abstained and response.abstained:
            return Verdict.SAME
        return Verdict.NOW_ANSWERED if record.abstained else Verdict.NOW_ABSTAINED
    is_same = Counter(record.answers) == Counter(answer_names(response.answers))
    is_same = is_same and _counted(record.rows) == _counted(response.rows)
    return Verdict.SAME if is_same else Verdict.CHANGED


def _counted(rows: Iterable[Sequence[object]]) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def _text(answers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return answers on one line, or the rows if there are several columns."""
    items = [", ".join(map(str, row)) for row in rows] if rows else answers
    return "; ".join(items) or "(abstained)"
