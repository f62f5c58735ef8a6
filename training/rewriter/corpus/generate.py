"""Generate a text for each subgraph, and keep the text if a QA model can answer the question from that text alone.

This implements the text generation and the quality evaluation in RRA, section 4.2, steps 2 and 3.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import astuple, dataclass
from itertools import count

from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.prompts import rewrite_prompt
from shared.errors import DependencyError, RefusedError
from shared.exact_match import named
from shared.llm.client import LanguageModel
from shared.llm.prompt_escaping import unescape_completion
from shared.llm.usage import Usage
from texts.verbalise.formats import as_triples
from training.rewriter.corpus.extract import Subgraph
from training.rewriter.corpus.journal import KEPT, CorpusJournal, Outcome

# Journals store these strings.
NO_TEXT, UNFAITHFUL, NOT_ANSWERED = (
    "received no text",
    "has a text that says something other than its facts",
    "has a text from which the QA model did not answer",
)
_MAX_TOKENS = 400
_TRIES = 4
_FIRST_WAIT_S = 1.0

Answerer = Callable[[str, str], Awaitable[str]]
"""A function that answers a question from the given knowledge alone: (knowledge, question) -> answer."""


@dataclass(frozen=True, slots=True)
class Models:
    """Hold the model that writes the texts and the QA model that checks them; `usage` returns this run's tokens."""

    writer: LanguageModel
    answer: Answerer
    usage: Callable[[], Usage]


async def generate_texts(
    subgraphs: Sequence[Subgraph],
    models: Models,
    journal: CorpusJournal,
    concurrency: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Generate and check a text for each subgraph that is not yet in the journal, `concurrency` at a time.

    `progress` is called with the number of finished subgraphs and the total. Raise DependencyError if a model stays
    unavailable; the journal keeps all outcomes.
    """
    open_ = [subgraph for subgraph in subgraphs if subgraph.key not in journal]
    waiting, done = iter(open_), count(len(subgraphs) - len(open_) + 1)

    async def work() -> None:
        for subgraph in waiting:
            text, verdict = await _generate(subgraph, models)
            journal.add(
                Outcome(
                    key=subgraph.key,
                    question=subgraph.question,
                    facts=tuple(astuple(fact) for fact in subgraph.facts),
                    text=text,
                    verdict=verdict,
                    run=journal.run,
                    usage=models.usage(),
                )
            )
            progress(next(done), len(subgraphs))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except* DependencyError as errors:
        raise errors.exceptions[0] from None


async def _generate(subgraph: Subgraph, models: Models) -> tuple[str, str]:
    """Return the generated text and the verdict on it."""
    triples = as_triples(subgraph.facts)
    text = await _with_retries(lambda: models.writer.complete(rewrite_prompt(triples), max_tokens=_MAX_TOKENS))
    text = unescape_completion(text, triples)
    if not text:
        return text, NO_TEXT
    # A rewriter trained on unfaithful texts would produce texts that fail the same check in serving.
    if check_faithfulness(text, subgraph.facts):
        return text, UNFAITHFUL
    answer = await _with_retries(lambda: models.answer(text, subgraph.question))
    return text, KEPT if named(answer, subgraph.answers) else NOT_ANSWERED


async def _with_retries(call: Callable[[], Awaitable[str]]) -> str:
    """Make a call, and retry it with backoff if it fails, unless the server rejects the key or the model."""
    for attempt in range(_TRIES - 1):
        try:
            return await call()
        except RefusedError:
            raise
        except DependencyError:
            await asyncio.sleep(_FIRST_WAIT_S * 4**attempt * random.uniform(0.5, 1.5))
    return await call()
