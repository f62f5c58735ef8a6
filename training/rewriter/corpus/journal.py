"""Record the outcome and the cost of each subgraph in a corpus, and write the pairs that are kept."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingestion.atomic_write import atomic_write
from question_sets.journal import Journal, Shard
from shared.llm.usage import Usage
from training.rewriter.corpus.extract import Subgraph

KEPT = "kept"


class Outcome(BaseModel):
    """Hold a subgraph with its text and the verdict on the text: `KEPT`, or the reason why it was dropped.

    `run` is the number of the run that produced the outcome. `usage` is the total usage of that run so far.
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
    """Hold the total usage and the number of runs; tokens that a killed run did not record are not included."""

    usage: Usage
    runs: int

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.usage + other.usage, self.runs + other.runs)


class CorpusJournal(Journal[Outcome]):
    """Keep a journal file of outcomes, and look them up by subgraph."""

    def __init__(self, file: Path, corpus: Mapping[str, str]) -> None:
        """Open or create the journal for the corpus that `corpus` describes; raise the same errors as `Journal`."""
        super().__init__(file, corpus, Outcome)
        self._outcomes = {outcome.key: outcome for outcome in self}
        self.run = 1 + max((outcome.run for outcome in self), default=0)

    def __contains__(self, key: object) -> bool:
        return key in self._outcomes

    def add(self, outcome: Outcome) -> None:
        """Add an outcome, and flush it to the file."""
        super().add(outcome)
        self._outcomes[outcome.key] = outcome

    def of(self, subgraphs: Iterable[Subgraph]) -> list[Outcome]:
        """Return the outcomes recorded for these subgraphs."""
        return [self._outcomes[subgraph.key] for subgraph in subgraphs if subgraph.key in self]

    def cost(self) -> Cost:
        """Add up the cost of all runs."""
        last: dict[int, Usage] = {}
        for outcome in self:
            last[outcome.run] = max(last.get(outcome.run, Usage()), outcome.usage, key=lambda usage: usage.calls)
        return Cost(sum(last.values(), Usage()), len(last))


def merge_journals(
    subgraphs: Sequence[Subgraph], shards: int, journal_file: Path, corpus: Mapping[str, str]
) -> tuple[list[Outcome], Cost]:
    """Collect the outcomes and the cost of all shards in a corpus.

    Each shard's journal is in the same folder as `journal_file`, the path of the journal for an unsharded build. Raise
    InvalidInputError if a shard is missing, is unfinished, or belongs to a different corpus.
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
    """Write the kept pairs atomically as JSON Lines with question, facts, and text; return their number."""
    kept = sorted((one for one in outcomes if one.verdict == KEPT), key=lambda one: one.key)
    with atomic_write(out) as unfinished, unfinished.open("w", encoding="utf-8") as file:
        for one in kept:
            line = {"question": one.question, "facts": one.facts, "text": one.text}
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    return len(kept)
