"""Record the outcome of each subgraph of a corpus and its cost, and write the pairs that were kept."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingestion.atomic_write import atomic_write
from question_sets.journal import Journal, Shard
from shared.llm.client import Usage
from training.rewriter.corpus.extract import Subgraph

KEPT = "kept"


class Outcome(BaseModel):
    """A subgraph with its text and the verdict on it: `KEPT`, or the reason why it was dropped.

    `run` numbers the run of the command that produced it; `usage` is what that run had spent by then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    question: str
    facts: tuple[tuple[str, str, str], ...]
    text: str
    verdict: str
    run: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """The usage of all runs, except for tokens that a killed run did not record."""

    usage: Usage
    runs: int

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.usage + other.usage, self.runs + other.runs)


class CorpusJournal(Journal[Outcome]):
    """A file of outcomes, looked up by subgraph."""

    def __init__(self, file: Path, corpus: Mapping[str, str]) -> None:
        """Open or create the journal of a corpus, which `corpus` describes.

        Raises:
            InvalidInputError: The file belongs to another corpus, or is not a journal.
        """
        super().__init__(file, corpus, Outcome)
        self._outcomes = {outcome.key: outcome for outcome in self}
        self.run = 1 + max((outcome.run for outcome in self), default=0)

    def __contains__(self, key: object) -> bool:
        return key in self._outcomes

    def add(self, outcome: Outcome) -> None:
        """Record an outcome durably."""
        super().add(outcome)
        self._outcomes[outcome.key] = outcome

    def of(self, subgraphs: Iterable[Subgraph]) -> list[Outcome]:
        """Return the outcomes of those subgraphs that have one."""
        return [self._outcomes[subgraph.key] for subgraph in subgraphs if subgraph.key in self._outcomes]

    def cost(self) -> Cost:
        """Add up the cost of all runs."""
        last: dict[int, Usage] = {}
        for outcome in self:
            last[outcome.run] = max(last.get(outcome.run, Usage()), outcome.usage, key=lambda usage: usage.calls)
        return Cost(sum(last.values(), Usage()), len(last))


def merge_journals(
    subgraphs: Sequence[Subgraph], shards: int, journal_file: Path, corpus: Mapping[str, str]
) -> tuple[list[Outcome], Cost]:
    """Collect the outcomes and the cost of all shards of a corpus.

    The shards' journals lie beside `journal_file`, which a corpus without shards would have.

    Raises:
        InvalidInputError: A shard is missing or unfinished, or belongs to another corpus.
    """
    outcomes: list[Outcome] = []
    cost = Cost(Usage(), 0)
    for shard in Shard.all(shards):
        part = shard.part(subgraphs)
        with CorpusJournal(shard.existing_file(journal_file), corpus) as journal:
            of_part = journal.of(part)
            cost += journal.cost()
        shard.require_finished(len(part) - len(of_part))
        outcomes += of_part
    return outcomes, cost


def write_pairs(outcomes: Iterable[Outcome], out: Path) -> int:
    """Write the kept pairs as JSON Lines of question, facts, and text, atomically; return their number."""
    kept = sorted((one for one in outcomes if one.verdict == KEPT), key=lambda one: one.key)
    with atomic_write(out) as unfinished, unfinished.open("w", encoding="utf-8") as file:
        for one in kept:
            line = {"question": one.question, "facts": one.facts, "text": one.text}
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    return len(kept)
