"""Adapt requests to what a language model server accepts."""

from dataclasses import dataclass, replace
from typing import Any

from shared.llm.server_reasons import Refusal

_OLD_LIMIT, _NEW_LIMIT, _TEMPERATURE = "max_tokens", "max_completion_tokens", "temperature"
# vLLM has an object for the ways to constrain a completion; llama.cpp takes the grammar itself.
_GRAMMAR, _STRUCTURED = "grammar", "structured_outputs"
_STREAM, _STREAM_OPTIONS, _STREAMING = "stream", "stream_options", "streaming"
# Room for the thoughts of a model that reasons, because the token limit covers them as well.
REASONING_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold what a completion is asked for: the user message, its length, and its grammar in GBNF, if any."""

    prompt: str
    max_tokens: int
    grammar: str | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters that a server accepts, as far as its replies have shown.

    Attributes:
        token_limit: Name of the parameter that limits the number of generated tokens.
        has_temperature: Whether the server lets clients set the temperature.
        reasoning_tokens: Number of tokens that the model may generate before its answer.
        has_streams: Whether the server can send a completion piece by piece.
        has_stream_usage: Whether it can count the tokens of such a completion.
        has_grammars: Whether it accepts a grammar; many servers accept it and ignore it.
    """

    token_limit: str = _OLD_LIMIT
    has_temperature: bool = True
    reasoning_tokens: int = 0
    has_streams: bool = True
    has_stream_usage: bool = True
    has_grammars: bool = True

    def request(self, model: str, asked: Asked, is_heard: bool = False) -> dict[str, Any]:
        """Return a request for a greedy completion of one user message, in pieces if someone hears its drafts."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": "user", "content": asked.prompt}],
            self.token_limit: asked.max_tokens + self.reasoning_tokens,
        }
        if asked.grammar and self.has_grammars:
            body |= {_GRAMMAR: asked.grammar, _STRUCTURED: {_GRAMMAR: asked.grammar}}
        if is_heard and self.has_streams:
            body |= {_STREAM: True}
            body |= {_STREAM_OPTIONS: {"include_usage": True}} if self.has_stream_usage else {}
        return {**body, "temperature": 0} if self.has_temperature else body

    def without(self, refusal: Refusal) -> "Dialect":
        """Return the dialect without the parameters that the server blames; it is equal if none can be left out."""
        changed = self
        if self.token_limit == _OLD_LIMIT and refusal.names(_OLD_LIMIT):
            changed = replace(changed, token_limit=_NEW_LIMIT)
        if self.has_temperature and refusal.names(_TEMPERATURE):
            changed = replace(changed, has_temperature=False)
        if self.has_grammars and (refusal.names(_GRAMMAR) or refusal.names(_STRUCTURED)):
            changed = replace(changed, has_grammars=False)
        if self.has_stream_usage and refusal.names(_STREAM_OPTIONS):
            changed = replace(changed, has_stream_usage=False)
        elif self.has_streams and (refusal.names(_STREAM) or refusal.names(_STREAMING)):
            changed = replace(changed, has_streams=False)
        return changed

    def with_reasoning(self) -> "Dialect":
        """Return the dialect for a model that has used up its tokens before it wrote an answer."""
        return replace(self, reasoning_tokens=REASONING_TOKENS)
