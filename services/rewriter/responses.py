"""Build the rewriter's response."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from shared.contracts import EvidenceTriples, RewriteResponse
from shared.verbalise.template import as_sentences

WITHOUT_MODEL = "rewriter_model"
WITHOUT_CACHE = "cache"
UNFAITHFUL = "unfaithful_text"


@dataclass(frozen=True, slots=True)
class ItemText:
    """Hold the model's text for one item of evidence, or the reason to use a template instead."""

    text: str = ""
    degraded: str = ""
    cached: bool = False


def rewrite_response(
    evidence: Sequence[EvidenceTriples], results: Sequence[ItemText], *, cache_is_down: bool
) -> RewriteResponse:
    """Build the response; a template verbalizes each item for which the model produced no text."""
    degraded = [result.degraded for result in results if result.degraded] + [WITHOUT_CACHE] * cache_is_down
    return RewriteResponse(
        texts=[_item_text(item, result.text) for item, result in zip(evidence, results, strict=True)],
        degraded=list(dict.fromkeys(degraded)),
        cached=sum(result.cached for result in results),
        by_template=sum(not result.text for result in results),
    )


def _item_text(item: EvidenceTriples, text: str) -> str:
    text = text or as_sentences(item.triples[:MAX_TRIPLES_IN_TEXT])
    omitted = len(item.triples) - MAX_TRIPLES_IN_TEXT
    return f"{text} And {omitted} more." if omitted > 0 else text
