"""Generate text from triples with a language model, and accept only faithful text."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Sequence

from services.rewriter.faithfulness import CHECKS_VERSION, check_faithfulness
from services.rewriter.prompts import PROMPT_VERSION, rewrite_prompt
from shared.contracts import KnowledgeFormat
from shared.llm.client import LanguageModel
from shared.llm.prompt_escaping import unescape_completion
from shared.triple import Triple, entity_names
from shared.verbalise.formats import as_triples
from shared.verbalise.morphology import counted

# Given more triples than this, a small model starts to omit or repeat names.
MAX_TRIPLES_IN_TEXT = 10
# A model rarely omits one of four facts. If there are at most four, a retry states them one at a time.
_TRIPLES_PER_RETRY = 4
_MAX_TOKENS = 400

NO_FAITHFUL_TEXT = ""
"""Result for triples that the model cannot verbalise faithfully; cached, because a retry would fail the same way."""

log = logging.getLogger(__name__)


class TextGenerator:
    """Generate the text for one item of evidence. Safe for concurrent use on one event loop."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def generate(self, triples: Sequence[Triple]) -> str:
        """Generate a text for up to `MAX_TRIPLES_IN_TEXT` triples; if it is unfaithful, retry once in smaller portions.

        Return `NO_FAITHFUL_TEXT` if the retry is unfaithful, too. Raises DependencyError if the model does not respond.
        """
        text = await self._complete(triples)
        if not (problems := check_faithfulness(text, triples)):
            return text
        size = _TRIPLES_PER_RETRY if len(triples) > _TRIPLES_PER_RETRY else 1
        if size < len(triples):
            portions = [triples[first : first + size] for first in range(0, len(triples), size)]
            text = " ".join(await asyncio.gather(*map(self._complete, portions)))
            if not (problems := check_faithfulness(text, triples)):
                return text
        log.info("verbalising by template: the model's text has %s", counted(len(problems), "problem"))
        return NO_FAITHFUL_TEXT

    def cache_key(self, triples: Sequence[Triple], graph_version: str) -> str:
        """Return a key that covers everything that the text depends on."""
        facts = [(triple.subject, triple.relation, triple.object) for triple in triples]
        parts = [graph_version, self._model.name, PROMPT_VERSION, CHECKS_VERSION, KnowledgeFormat.TEXT, facts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    async def _complete(self, triples: Sequence[Triple]) -> str:
        knowledge = as_triples(triples)
        text = await self._model.complete(rewrite_prompt(knowledge), max_tokens=_token_limit(triples))
        return unescape_completion(text, knowledge)


def _token_limit(triples: Sequence[Triple]) -> int:
    """Return a token limit with room for each name twice, at two bytes per token, and for a few words per triple."""
    name_bytes = sum(len(name.encode(errors="replace")) for name in entity_names(triples))
    return min(_MAX_TOKENS, 24 + 12 * len(triples) + name_bytes)
