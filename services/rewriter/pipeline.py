"""Rewrite evidence as text (RRA, section 4.1.2): one text for each item of evidence, and one for all of them."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.answers import UNFAITHFUL_TEXT
from contracts.rewrite import KnowledgeFormat, RewriteRequest, RewriteResponse, TokenUsage
from language.english.morphology import counted
from services.rewriter.cache.protocol import TextCache
from services.rewriter.cache.session import CacheSession
from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT, NO_FAITHFUL_TEXT, TextGenerator, gains_from_model
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.metering import metered
from shared.tracing.tracer import traced
from shared.triple import Triple
from texts.verbalise.formats import render, separator
from texts.verbalise.paragraph import as_paragraph

# Rendering more triples than this would block the event loop, and thus the health probes, for over 2 ms.
_MAX_TRIPLES_IN_EVENT_LOOP = 500
log = logging.getLogger(__name__)


class Rewriter:
    """Answer rewrite requests. Safe for concurrent use on one event loop.

    Args:
        model: The language model that verbalises triples.
        cache: The cache for the generated texts.

    Example:
        >>> response = await Rewriter(model, InMemoryTextCache()).rewrite(RewriteRequest(evidence=[item]))
        >>> response.text
        "The capital of France is Paris."
    """

    def __init__(self, model: LanguageModel, cache: TextCache) -> None:
        self._generator = TextGenerator(model)
        self._cache = cache

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """Verbalise each item by grammar, and all of them together with at most one model call.

        The model is called only if it may word the evidence better than grammar does. An unavailable model or cache is
        not an error: grammar writes the text if the model cannot, or if its text is unfaithful.

        Args:
            request: The items of evidence, and the format to render them in.

        Returns:
            One text for each item, in order, and one for all of them. `degraded` contains `rewriter_model` if the model
            did not respond, `unfaithful_text` if grammar replaced an unfaithful text, and `cache` if the cache did not
            respond.
        """
        with traced("verbalise") as span:
            response = await self._verbalised(request)
            span.set(items=len(request.evidence), format=request.format, cached=response.cached)
            return response

    async def _verbalised(self, request: RewriteRequest) -> RewriteResponse:
        texts, text = await _render(request)
        facts = list(
            dict.fromkeys(fact for item in request.evidence for fact in item.triples[: MAX_TRIPLES_IN_TEXT + 1])
        )
        if request.format is not KnowledgeFormat.TEXT or not gains_from_model(facts):
            return RewriteResponse(texts=texts, text=text, degraded=[], cached=0)
        key = self._generator.cache_key(facts, request.graph_version)
        with metered() as meter:
            async with CacheSession(self._cache, lambda _, cached: _is_usable(cached, facts)) as session:
                await session.look_up([key])
                generated = await self._text(facts, key, session)
        return RewriteResponse(
            texts=[generated.text] if generated.text and len(texts) == 1 else texts,
            text=generated.text or text,
            degraded=[generated.degraded] * bool(generated.degraded) + ["cache"] * session.is_down,
            cached=int(generated.is_cached),
            by_template=int(not generated.text),
            usage=TokenUsage(prompt_tokens=meter.usage.prompt_tokens, completion_tokens=meter.usage.completion_tokens),
        )

    async def _text(self, facts: Sequence[Triple], key: str, session: CacheSession) -> "_ModelText":
        text = await session.text(key)
        is_cached = text is not None
        if text is None:
            try:
                text = await session.store(key, self._generator.generate(facts))
            except DependencyError as error:
                log.warning("verbalising by grammar: %s", error)
                return _ModelText(degraded="rewriter_model")
        return _ModelText(text, UNFAITHFUL_TEXT if text == NO_FAITHFUL_TEXT else "", is_cached)


@dataclass(frozen=True, slots=True)
class _ModelText:
    """Hold the model's text, or the reason to use grammar instead."""

    text: str = ""
    degraded: str = ""
    is_cached: bool = False


async def _render(request: RewriteRequest) -> tuple[list[str], str]:
    """Render each item and all of them without a model; use a thread if there are many triples."""

    def render_all() -> tuple[list[str], str]:
        texts = [render(item.triples, request.format) for item in request.evidence]
        if request.format is not KnowledgeFormat.TEXT:
            return texts, separator(request.format).join(texts)
        return texts, as_paragraph([fact for item in request.evidence for fact in item.triples])

    if sum(len(item.triples) for item in request.evidence) <= _MAX_TRIPLES_IN_EVENT_LOOP:
        return render_all()
    return await asyncio.to_thread(render_all)


def _is_usable(text: str, facts: Sequence[Triple]) -> bool:
    """Check a cached text again, because another client or an older version with weaker checks may have written it."""
    problems = check_faithfulness(text, facts) if text != NO_FAITHFUL_TEXT else []
    if problems:
        log.warning("replacing a cached text that has %s", counted(len(problems), "problem"))
    return not problems
