"""Text generation and quality evaluation: a text for each subgraph, kept if a QA model can answer from it.

RRA, section 4.2, steps 2 and 3. A text is worth training on if the question can be answered from it alone.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count

from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.prompts import rewrite_prompt
from shared.errors import DependencyError, RefusedError
from shared.exact_match import named
from shared.llm.client import LanguageModel, Usage
from shared.llm.prompt_escaping import unescape_completion
from shared.verbalise.formats import as_triples
from training.rewriter.corpus.extract import Subgraph
from training.rewriter.corpus.journal import KEPT, CorpusJournal, Settled

NO_TEXT, UNFAITHFUL, NOT_ANSWERED = (
    "was given no text",
    "has a text that says something else than its facts",
    "has a text from which the QA model did not answer",
)
_MAX_TOKENS = 400
_TRIES = 4
_FIRST_WAIT_S = 1.0

Answerer = Callable[[str, str], Awaitable[str]]
"""Answers a question from knowledge alone: (knowledge, question) to text."""


@dataclass(frozen=True, slots=True)
class Makers:
    """Who makes a corpus. `usage`: what they have spent since this run began."""

    writer: LanguageModel
    answer: Answerer
    usage: Callable[[], Usage]


async def build(
    subgraphs: Sequence[Subgraph],
    makers: Makers,
    journal: CorpusJournal,
    at_once: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Counter[str]:
    """Settle the subgraphs that the journal does not hold yet, `at_once` side by side; verdicts of all of them.

    Raises DependencyError if a model stays away: the journal keeps what was settled.
    """
    unsettled = [subgraph for subgraph in subgraphs if subgraph.key not in journal]
    waiting, done = iter(unsettled), count(len(subgraphs) - len(unsettled) + 1)

    async def work() -> None:
        for subgraph in waiting:
            text, verdict = await _settle(subgraph, makers)
            facts = tuple((fact.subject, fact.relation, fact.object) for fact in subgraph.facts)
            journal.add(
                Settled(
                    key=subgraph.key,
                    question=subgraph.question,
                    facts=facts,
                    text=text,
                    verdict=verdict,
                    run=journal.run,
                    usage=makers.usage(),
                )
            )
            progress(next(done), len(subgraphs))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(work())
    except* DependencyError as errors:
        raise errors.exceptions[0] from None
    return Counter(settled.verdict for settled in journal.of(subgraphs))


async def _settle(subgraph: Subgraph, makers: Makers) -> tuple[str, str]:
    told = as_triples(subgraph.facts)
    text = await _patiently(lambda: makers.writer.complete(rewrite_prompt(told), max_tokens=_MAX_TOKENS))
    text = unescape_completion(text, told)
    if not text:
        return text, NO_TEXT
    if check_faithfulness(text, subgraph.facts):
        return text, UNFAITHFUL  # what it would learn from that would not be served
    answer = await _patiently(lambda: makers.answer(text, subgraph.question))
    return text, KEPT if named(answer, subgraph.answers) else NOT_ANSWERED


async def _patiently(ask: Callable[[], Awaitable[str]]) -> str:
    """A hosted model fails now and then; one that stays away, or wants another key or name, ends the building."""
    for attempt in range(_TRIES - 1):
        try:
            return await ask()
        except RefusedError:
            raise
        except DependencyError:
            await asyncio.sleep(_FIRST_WAIT_S * 4**attempt * random.uniform(0.5, 1.5))
    return await ask()
