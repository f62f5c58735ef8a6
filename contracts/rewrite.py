"""Define the JSON messages of `POST /rewrite`."""

from enum import StrEnum

from pydantic import Field

from contracts.answers import EvidenceTriples
from contracts.base import Contract, Text, config


class KnowledgeFormat(StrEnum):
    """Format in which the QA model sees the evidence (RRA, section 5; YAML is from Bridging the Gap)."""

    TEXT = "text"
    TEMPLATE = "template"
    TRIPLES = "triples"
    YAML = "yaml"
    NONE = "none"


class RewriteRequest(Contract):
    """Request for one text per item of evidence, in the same order."""

    model_config = config(
        evidence=[{"triples": [{"subject": "France", "relation": "capital", "object": "Paris"}]}],
        format="text",
        graph_version="0",
    )

    evidence: list[EvidenceTriples] = Field(max_length=50)
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    graph_version: Text = ""


class TokenUsage(Contract):
    """Tokens that language models read and wrote for a reply, as their servers count them; 0 if they do not."""

    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)


class RewriteResponse(Contract):
    """Texts in the order of the request: `texts[i]` verbalises `evidence[i]`.

    Attributes:
        text: One text that verbalises all the evidence, which states each fact once.
        degraded: Components that the rewriter did without because they were unavailable.
        cached: Number of texts that came from the cache.
        by_template: Number of texts for which grammar replaced the model's output.
        usage: Tokens that the texts took; texts from the cache take none.
    """

    texts: list[str]
    text: str = ""
    degraded: list[str]
    cached: int
    by_template: int = 0
    usage: TokenUsage = TokenUsage()
