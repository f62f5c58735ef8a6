"""Rewrite evidence as text: one text for each item of evidence (RRA, section 4.1.2)."""

import asyncio
import logging
from dataclasses import dataclass

from services.rewriter.cache.protocol import TextCache
from services.rewriter.cache.session import CacheSession
from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT, NO_FAITHFUL_TEXT, TextGenerator
from shared.contracts import (
    UNFAITHFUL_TEXT,
    EvidenceTriples,
    KnowledgeFormat,
    RewriteRequest,
    RewriteResponse,
    TokenUsage,
)
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.metering import metered
from shared.verbalise.formats import render
from shared.verbalise.morphology import counted
from shared.verbalise.template import as_sentences

# Rendering more triples than this would block the event loop, and thus the health probes, for over 2 ms.
_MAX_TRIPLES_IN_EVENT_LOOP = 500
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _ItemText:
    """Hold the model's text for one item of evidence, or the reason to use a template instead."""

    text: str = ""
    degraded: str = ""
    is_cached: bool = False


class Rewriter:
    """Answer rewrite requests. Safe for concurrent use on one event loop.

    Args:
        model: The language model that verbalises triples.
        cache: The cache for the generated texts.

    Example:
        >>> response = await Rewriter(model, InMemoryTextCache()).rewrite(RewriteRequest(evidence=[item]))
        >>> response.texts
        ["The capital of France is Paris."]
    """

    def __init__(self, model: LanguageModel, cache: TextCache) -> None:
        self._generator = TextGenerator(model)
        self._cache = cache

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """Verbalise all items concurrently, with one model call per item unless an item needs a retry.

        An unavailable model or cache is not an error. If the model cannot generate a text, or if the text is still
        unfaithful to its triples after one retry, a template verbalises the item.

        Args:
            request: The items of evidence, and the format to render them in.

        Returns:
            One text for each item, in order. `degraded` contains `rewriter_model` if the model did not respond,
            `unfaithful_text` if a template replaced an unfaithful text, and `cache` if the cache did not respond.
        """
        if request.format is not KnowledgeFormat.TEXT:
            return RewriteResponse(texts=await _render(request), degraded=[], cached=0)
        keys = [self._generator.cache_key(item.triples, request.graph_version) for item in request.evidence]
        items = dict(zip(keys, request.evidence, strict=True))
        with metered() as meter:
            async with CacheSession(self._cache, lambda key, text: _is_usable(text, items[key])) as session:
                await session.look_up(list(items))
                results = await asyncio.gather(*(self._rewrite_item(items[key], key, session) for key in keys))
        degraded = [result.degraded for result in results if result.degraded] + ["cache"] * session.is_down
        return RewriteResponse(
            texts=[_final_text(item, result.text) for item, result in zip(request.evidence, results, strict=True)],
            degraded=list(dict.fromkeys(degraded)),
            cached=sum(result.is_cached for result in results),
            by_template=sum(not result.text for result in results),
            usage=TokenUsage(prompt_tokens=meter.usage.prompt_tokens, completion_tokens=meter.usage.completion_tokens),
        )

    async def _rewrite_item(self, item: EvidenceTriples, key: str, session: CacheSession) -> _ItemText:
        text = await session.text(key)
        is_cached = text is not None
        if text is None:
            try:
                text = await session.store(key, self._generator.generate(item.triples[:MAX_TRIPLES_IN_TEXT]))
            except DependencyError as error:
                log.warning("verbalising by template: %s", error)
                return _ItemText(degraded="rewriter_model")
        return _ItemText(text, UNFAITHFUL_TEXT if text == NO_FAITHFUL_TEXT else "", is_cached)


def _final_text(item: EvidenceTriples, text: str) -> str:
    text = text or as_sentences(item.triples[:MAX_TRIPLES_IN_TEXT])
    omitted = len(item.triples) - MAX_TRIPLES_IN_TEXT
    return f"{text} And {omitted} more." if omitted > 0 else text


async def _render(request: RewriteRequest) -> list[str]:
    """Render each item without a model; use a thread if there are many triples."""

    def render_all() -> list[str]:
        return [render(item.triples, request.format) for item in request.evidence]

    if sum(len(item.triples) for item in request.evidence) <= _MAX_TRIPLES_IN_EVENT_LOOP:
        return render_all()
    return await asyncio.to_thread(render_all)


def _is_usable(text: str, item: EvidenceTriples) -> bool:
    """Check a cached text again, because another client or an older version with weaker checks may have written it."""
    problems = check_faithfulness(text, item.triples[:MAX_TRIPLES_IN_TEXT]) if text != NO_FAITHFUL_TEXT else []
    if problems:
        log.warning("replacing a cached text that has %s", counted(len(problems), "problem"))
    return not problems
