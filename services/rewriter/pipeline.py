"""Rewriting: reasoning paths to text, one text for each item of evidence (RRA, section 4.1.2)."""

import asyncio
import contextlib
import hashlib
import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from services.rewriter.cache.protocol import TextCache
from services.rewriter.faithfulness import CHECKS_VERSION, check_faithfulness
from services.rewriter.prompts import PROMPT_VERSION, rewrite_prompt
from shared.contracts import EvidenceTriples, KnowledgeFormat, RewriteRequest, RewriteResponse
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.prompt_escaping import restored
from shared.triple import Triple, entity_names
from shared.verbalise.formats import as_triples, render

# Beyond ten names a small model begins to leave some out, or to write one twice.
MAX_TRIPLES_IN_TEXT = 10
# What is said again after a fault: of four facts seldom one is left out, and so few are said one by one.
_PORTION = 4
_MAX_TOKENS = 400
# More would hold up the event loop, and with it the probes, for over 2 ms.
_TRIPLES_AT_ONCE = 500
_LOG = logging.getLogger(__name__)

WITHOUT_MODEL = "rewriter_model"
UNFAITHFUL = "unfaithful_text"
WITHOUT_CACHE = "cache"


# What the cache holds for facts of which the model makes no faithful text: it would make the same one again.
_NO_FAITHFUL_TEXT = ""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text to give, and what it was made without."""

    text: str
    degraded: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    """What the cache said: texts by key, and keys whose texts are made elsewhere; `held` are this request's claims."""

    texts: Mapping[str, str | None]
    elsewhere: Collection[str]
    held: set[str]
    is_down: bool


class Rewriter:
    """Answers rewrite requests; safe for concurrent use on one event loop."""

    def __init__(self, model: LanguageModel, cache: TextCache) -> None:
        self._model = model
        self._cache = cache

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """One text for each item, in order; all items at once, an item in one model call, however many facts it has.

        Never fails for want of the model: the template stands in, and `degraded` says `rewriter_model`. A text that is
        not faithful to its facts is tried once more with the facts in portions, which are easier to say; if that fails
        too, it is replaced in the same way (`unfaithful_text`).
        """
        if request.format is not KnowledgeFormat.TEXT:
            return RewriteResponse(texts=await _rendered(request), degraded=[], cached=0)
        keys = [self._key(item, request.graph_version) for item in request.evidence]
        held: set[str] = set()
        try:
            known = await self._known(dict(zip(keys, request.evidence, strict=True)), held)
            verbalised = await asyncio.gather(
                *(self._text(item, key, known) for item, key in zip(request.evidence, keys, strict=True))
            )
        finally:
            # Items that never started, because the request was cancelled, cannot release their claims themselves.
            await asyncio.shield(asyncio.gather(*(self._settle(key, None) for key in held)))
        degraded = [v.degraded for v in verbalised if v.degraded] + [WITHOUT_CACHE] * known.is_down
        return RewriteResponse(
            texts=[v.text for v in verbalised],
            degraded=list(dict.fromkeys(degraded)),
            cached=sum(v.cached for v in verbalised),
            by_template=sum(bool(v.degraded) for v in verbalised),
        )

    async def _known(self, items: Mapping[str, EvidenceTriples], held: set[str]) -> _Known:
        """Look up items in the cache by key, and claim the missing ones; claims that are won are added to `held`."""
        try:
            found = await self._cache.get_many(list(items)) if items else []
            texts = {key: _trusted(text, items[key]) for key, text in zip(items, found, strict=True)}
            missing = [key for key, text in texts.items() if text is None]
            if missing:
                await self._claim(missing, held)
            return _Known(texts, set(missing) - held, held, is_down=False)
        except DependencyError as error:
            _LOG.warning("without the cache: %s", error)
            return _Known({}, set(), held, is_down=True)

    async def _claim(self, keys: Sequence[str], held: set[str]) -> None:
        """Claim keys, and add those that are won to `held`, even if the caller is cancelled meanwhile."""
        claiming = asyncio.ensure_future(self._cache.claim(keys))
        try:
            await asyncio.shield(claiming)
        except asyncio.CancelledError:
            # The cache may already have granted the claims. Its time-out bounds this wait.
            await asyncio.wait([claiming])
            raise
        finally:
            if claiming.done() and not claiming.cancelled() and not claiming.exception():
                held.update(key for key, is_won in zip(keys, claiming.result(), strict=True) if is_won)

    async def _text(self, item: EvidenceTriples, key: str, known: _Known) -> _Text:
        text = known.texts.get(key)
        if key in known.elsewhere:
            text = await self._awaited(item, key, known.held)
        if text:
            return _Text(_whole(text, item), cached=True)
        if text == _NO_FAITHFUL_TEXT:
            return _Text(_by_template(item), UNFAITHFUL, cached=True)
        is_held = key in known.held
        known.held.discard(key)
        made: str | None = None
        try:
            made = await self._faithful(item.triples[:MAX_TRIPLES_IN_TEXT])
        except DependencyError as error:
            _LOG.warning("verbalising by template: %s", error)
            return _Text(_by_template(item), WITHOUT_MODEL)
        finally:
            if is_held or (made is not None and not known.is_down):
                await asyncio.shield(self._settle(key, made))
        return _Text(_whole(made, item)) if made else _Text(_by_template(item), UNFAITHFUL)

    async def _awaited(self, item: EvidenceTriples, key: str, held: set[str]) -> str | None:
        """Wait for a text that is made elsewhere; if none comes, try to take over the claim and return None."""
        with contextlib.suppress(DependencyError):
            text = _trusted(await self._cache.awaited(key), item)
            if text is not None:
                return text
            await self._claim([key], held)
        return None

    async def _settle(self, key: str, made: str | None) -> None:
        """Cache a text, or release the claim on it if there is none, so that replicas stop waiting."""
        with contextlib.suppress(DependencyError):
            await (self._cache.release(key) if made is None else self._cache.put_many({key: made}))

    async def _faithful(self, triples: Sequence[Triple]) -> str:
        """A text that says these facts, or `_NO_FAITHFUL_TEXT`: at the second try, in portions."""
        text = await self._generated(triples)
        if not (wrong := check_faithfulness(text, triples)):
            return text
        size = _PORTION if len(triples) > _PORTION else 1
        if size == len(triples):
            _LOG.info("verbalising by template: the model's text has %d faults", len(wrong))
            return _NO_FAITHFUL_TEXT
        portions = [triples[first : first + size] for first in range(0, len(triples), size)]
        text = " ".join(await asyncio.gather(*map(self._generated, portions)))
        if wrong := check_faithfulness(text, triples):
            _LOG.info("verbalising by template: the model's second text has %d faults", len(wrong))
            return _NO_FAITHFUL_TEXT
        return text

    async def _generated(self, triples: Sequence[Triple]) -> str:
        told = as_triples(triples)
        text = await self._model.complete(rewrite_prompt(told), max_tokens=_token_limit(triples))
        return restored(text, told)

    def _key(self, item: EvidenceTriples, graph_version: str) -> str:
        facts = [(fact.subject, fact.relation, fact.object) for fact in item.triples]
        parts = [graph_version, self._model.name, PROMPT_VERSION, CHECKS_VERSION, KnowledgeFormat.TEXT, facts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


async def _rendered(request: RewriteRequest) -> list[str]:
    def render_all() -> list[str]:
        return [render(item.triples, request.format) for item in request.evidence]

    if sum(len(item.triples) for item in request.evidence) <= _TRIPLES_AT_ONCE:
        return render_all()
    return await asyncio.to_thread(render_all)


def _trusted(text: str | None, item: EvidenceTriples) -> str | None:
    """A cached text, or None if it does not say the facts of the item.

    It is checked like a text of the model, since others may write to a cache, or have written to it with a version of
    this project that let more pass.
    """
    if text and (wrong := check_faithfulness(text, item.triples[:MAX_TRIPLES_IN_TEXT])):
        _LOG.warning("replacing a cached text that has %d faults", len(wrong))
        return None
    return text


def _by_template(item: EvidenceTriples) -> str:
    return _whole(render(item.triples[:MAX_TRIPLES_IN_TEXT], KnowledgeFormat.TEMPLATE), item)


def _whole(text: str, item: EvidenceTriples) -> str:
    """The text with the number of facts that it leaves out, whoever wrote it."""
    left_out = len(item.triples) - MAX_TRIPLES_IN_TEXT
    return f"{text} And {left_out} more." if left_out > 0 else text


def _token_limit(triples: Sequence[Triple]) -> int:
    """Room for every name twice (two bytes a token, on the safe side) and some words a fact; ends a loop early."""
    return min(
        _MAX_TOKENS, 24 + 12 * len(triples) + sum(len(name.encode(errors="replace")) for name in entity_names(triples))
    )
