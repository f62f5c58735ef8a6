"""Rewriting: reasoning paths to text, one text for each item of evidence (RRA, section 4.1.2)."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from services.rewriter.faithfulness import faults
from services.rewriter.formats import render
from services.rewriter.prompts import PROMPT_VERSION, rewrite_prompt
from shared.cache.protocol import TextCache
from shared.contracts import EvidenceTriples, KnowledgeFormat, RewriteRequest, RewriteResponse, TripleModel
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.formats import as_triples

# Beyond ten names a small model begins to leave some out, or to write one twice.
MAX_TRIPLES_IN_TEXT = 10
_MAX_TOKENS = 400
_LOG = logging.getLogger(__name__)

WITHOUT_MODEL = "rewriter_model"
UNFAITHFUL = "unfaithful_text"


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    degraded: str = ""
    cached: bool = False


class Rewriter:
    """Answers rewrite requests; safe for concurrent use on one event loop."""

    def __init__(self, model: LanguageModel, cache: TextCache) -> None:
        self._model = model
        self._cache = cache
        self._in_flight: dict[str, asyncio.Task[str]] = {}

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """One text for each item, in order; an item is one model call at most, however many facts it has.

        Never fails for want of the model: the template stands in, and `degraded` says `rewriter_model`. A text that is
        not faithful to its facts is replaced in the same way (`unfaithful_text`).
        """
        if request.format is not KnowledgeFormat.TEXT:
            texts = [render(item.triples, request.format) for item in request.evidence]
            return RewriteResponse(texts=texts, degraded=[], cached=0)
        keys = [self._key(item, request.graph_version) for item in request.evidence]
        known = await self._cache.get_many(keys) if keys else []
        verbalised = await asyncio.gather(
            *(self._text(item, key, text) for item, key, text in zip(request.evidence, keys, known, strict=True))
        )
        fresh = {key: v.text for key, v in zip(keys, verbalised, strict=True) if not (v.degraded or v.cached)}
        if fresh:
            await self._cache.put_many(fresh)
        return RewriteResponse(
            texts=[v.text for v in verbalised],
            degraded=list(dict.fromkeys(v.degraded for v in verbalised if v.degraded)),
            cached=sum(v.cached for v in verbalised),
        )

    async def _text(self, item: EvidenceTriples, key: str, known: str | None) -> _Text:
        if known is not None:
            return _Text(known, cached=True)
        shown = item.triples[:MAX_TRIPLES_IN_TEXT]
        try:
            text = await self._generated(key, shown)
        except DependencyError as error:
            _LOG.warning("verbalising by template: %s", error)
            return _Text(render(item.triples, KnowledgeFormat.TEMPLATE), WITHOUT_MODEL)
        if wrong := faults(text, shown):
            _LOG.info("verbalising by template: the model's text has %d faults", len(wrong))
            return _Text(render(item.triples, KnowledgeFormat.TEMPLATE), UNFAITHFUL)
        left_out = len(item.triples) - len(shown)
        return _Text(f"{text} And {left_out} more." if left_out else text)

    async def _generated(self, key: str, triples: Sequence[TripleModel]) -> str:
        """The model's text; requests for the same facts at the same time share one call."""
        task = self._in_flight.get(key)
        if task is None:
            prompt = rewrite_prompt(as_triples(triples))
            task = asyncio.create_task(self._model.complete(prompt, max_tokens=_token_limit(triples)))
            self._in_flight[key] = task
            task.add_done_callback(lambda done: self._landed(key, done))
        # Whoever asked first may go away; the others still wait for the same call.
        return await asyncio.shield(task)

    def _landed(self, key: str, task: "asyncio.Task[str]") -> None:
        self._in_flight.pop(key, None)
        if not task.cancelled():
            task.exception()  # seen, even where nobody waits for it any more

    def _key(self, item: EvidenceTriples, graph_version: str) -> str:
        facts = [(fact.subject, fact.relation, fact.object) for fact in item.triples]
        parts = [graph_version, self._model.name, PROMPT_VERSION, KnowledgeFormat.TEXT, facts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _token_limit(triples: Sequence[TripleModel]) -> int:
    """Room for every name twice (two bytes a token, on the safe side) and some words a fact; ends a loop early."""
    names = {name for fact in triples for name in (fact.subject, fact.object)}
    return min(_MAX_TOKENS, 24 + 12 * len(triples) + sum(len(name.encode(errors="replace")) for name in names))
