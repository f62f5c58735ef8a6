"""Shape the rewriter's response from the texts of its items."""

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
    """The text of one item of evidence, and why a template wrote it, if one did."""

    text: str
    degraded: str = ""
    cached: bool = False


def generated_text(text: str, item: EvidenceTriples, *, cached: bool) -> ItemText:
    """Complete a model's text with the number of triples that it omits."""
    return ItemText(_with_remainder(text, item), cached=cached)


def template_text(item: EvidenceTriples, reason: str, *, cached: bool = False) -> ItemText:
    """Verbalize an item by template, in place of the model."""
    return ItemText(_with_remainder(as_sentences(item.triples[:MAX_TRIPLES_IN_TEXT]), item), reason, cached)


def rewrite_response(items: Sequence[ItemText], *, cache_is_down: bool) -> RewriteResponse:
    """Build the response, with each reason for degradation once."""
    degraded = [item.degraded for item in items if item.degraded] + [WITHOUT_CACHE] * cache_is_down
    return RewriteResponse(
        texts=[item.text for item in items],
        degraded=list(dict.fromkeys(degraded)),
        cached=sum(item.cached for item in items),
        by_template=sum(bool(item.degraded) for item in items),
    )


def _with_remainder(text: str, item: EvidenceTriples) -> str:
    omitted = len(item.triples) - MAX_TRIPLES_IN_TEXT
    return f"{text} And {omitted} more." if omitted > 0 else text
