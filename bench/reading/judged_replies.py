"""Hold judged replies, write their figures, and keep them from one run to the next."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.reading.figures import decimal, share
from bench.results import RESULTS
from evaluation.confidence_metrics import Judged, auroc, calibration_error, risk_at_coverage

_FILE = RESULTS / "predicted-plans.judged"
_CONFIDENT = 0.5
_CERTAIN = 0.8


@dataclass
class Measured:
    """Hold the judged replies to a set of questions; `related` says which questions follow two relationships."""

    judged: list[Judged] = field(default_factory=list)
    silent: int = 0
    related: list[bool] = field(default_factory=list)

    def column(self) -> dict[str, str]:
        """Return the figures as text, keyed by measure."""
        right = [float(one.is_right) for one in self.judged]
        sure = [float(not one.is_right) for one in self.judged if one.confidence >= _CONFIDENT]
        figures = {
            "questions": f"{len(right):,}",
            "execution accuracy": share(right),
            f"confidence >= {_CONFIDENT}, share of questions": f"{100 * len(sure) / len(right):.1f} %",
            f"confidence >= {_CONFIDENT}, of these wrong": share(sure),
            f"wrong with confidence >= {_CERTAIN}": share(
                [float(one.confidence >= _CERTAIN and not one.is_right) for one in self.judged]
            ),
            "silent": f"{self.silent:,}",
            "AUROC": decimal(auroc(self.judged)),
            "ECE": decimal(calibration_error(self.judged)),
            "risk at 80 % coverage": decimal(risk_at_coverage(self.judged, 0.8)),
        }
        if self.related:
            pairs = zip(right, self.related, strict=True)
            figures["right with two or more relationships"] = share([hit for hit, related in pairs if related])
        return figures


def remembered() -> dict[str, list[Judged]]:
    """Return the judged replies of all sets that were measured, by the names of the sets."""
    if not _FILE.exists():
        return {}
    found = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        name: [Judged(confidence=confidence, is_right=bool(right)) for confidence, right in pairs]
        for name, pairs in found.items()
    }


def remember(name: str, judged: Sequence[Judged]) -> None:
    """Keep the judged replies of a set, and replace those of an earlier run."""
    sets = {**remembered(), name: list(judged)}
    pairs = {key: [[round(one.confidence, 4), int(one.is_right)] for one in found] for key, found in sets.items()}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(found)}" for key, found in sorted(pairs.items()))
    _FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
