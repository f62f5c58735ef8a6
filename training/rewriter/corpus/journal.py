"""What became of each subgraph of a corpus, and what that cost."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingestion.atomic_write import atomic_write
from question_sets.journal import Journal
from shared.llm.client import Usage
from training.rewriter.corpus.extract import Subgraph

KEPT = "kept"


class Settled(BaseModel):
    """A subgraph with its text, and the verdict: `KEPT`, or why it was dropped.

    `run` and `usage`: which run of the command settled it, and what that had spent until then.
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
class Spent:
    """What all runs together spent, tokens that a kill kept from the journal left out."""

    usage: Usage
    runs: int

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.usage + other.usage, self.runs + other.runs)


class CorpusJournal(Journal[Settled]):
    """Settled subgraphs in a file, by their keys."""

    def __init__(self, file: Path, corpus: Mapping[str, str]) -> None:
        """Open or begin the journal of a corpus that is made of `corpus`: graph, questions, models.

        Raises InvalidInputError if the file is the journal of another one, or none at all.
        """
        super().__init__(file, corpus, Settled)
        self._settled = {settled.key: settled for settled in self}
        self.run = 1 + max((settled.run for settled in self), default=0)

    def __contains__(self, key: object) -> bool:
        return key in self._settled

    def add(self, settled: Settled) -> None:
        """Write a subgraph down; from then on it is settled, whatever happens."""
        super().add(settled)
        self._settled[settled.key] = settled

    def of(self, subgraphs: Iterable[Subgraph]) -> list[Settled]:
        """What became of these; those that are settled."""
        return [self._settled[subgraph.key] for subgraph in subgraphs if subgraph.key in self._settled]

    def spent(self) -> Spent:
        """What the corpus has cost until now."""
        last: dict[int, Usage] = {}
        for settled in self:
            last[settled.run] = max(last.get(settled.run, Usage()), settled.usage, key=lambda usage: usage.calls)
        return Spent(sum(last.values(), Usage()), len(last))


def write_pairs(settled: Iterable[Settled], out: Path) -> int:
    """Write what was kept as JSON Lines of question, facts and text, all or nothing; the number of pairs."""
    kept = sorted((one for one in settled if one.verdict == KEPT), key=lambda one: one.key)
    with atomic_write(out) as unfinished, unfinished.open("w", encoding="utf-8") as file:
        for one in kept:
            line = {"question": one.question, "facts": one.facts, "text": one.text}
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    return len(kept)
