"""Generate text from triples with a language model, and accept only faithful text."""

import hashlib
import json
import logging
import re
from collections.abc import Sequence

from contracts.rewrite import KnowledgeFormat
from language.english.measures import grouped_quantities
from language.english.morphology import counted
from services.rewriter.faithfulness import CHECKS_VERSION, check_faithfulness
from services.rewriter.prompts import PROMPT_VERSION, rewrite_prompt
from shared.llm.client import LanguageModel
from shared.llm.prompt_escaping import unescape_completion
from shared.triple import Triple, entity_names
from texts.grounding.hallucination_checks import Source
from texts.grounding.spelling import copy_names
from texts.verbalise.formats import as_triples
from texts.verbalise.statements import statements

# Given more triples than this, a small model starts to omit or repeat names.
MAX_TRIPLES_IN_TEXT = 10
_MIN_STATEMENTS = 2
_MAX_TOKENS = 400

NO_FAITHFUL_TEXT = ""
"""Result for triples that the model cannot verbalise faithfully; cached, because a retry would fail the same way."""

_VALUE = re.compile(r"[-+\u2212]?[\d.,:/ TZ-]+")

log = logging.getLogger(__name__)


def gains_from_model(triples: Sequence[Triple]) -> bool:
    """Return whether a model may word distinct facts better than grammar does.

    That is so if the names of at least half of the relations fit no clause, so that grammar writes them after a colon.
    Grammar says everything else as well, and long evidence more reliably.
    """
    found = statements(triples)
    if len(triples) > MAX_TRIPLES_IN_TEXT or len(found) < _MIN_STATEMENTS:
        return False
    unsayable = [one for one in found if not one.is_sayable and not all(map(_VALUE.fullmatch, one.objects))]
    return 2 * len(unsayable) >= len(found)


class TextGenerator:
    """Generate the text for all evidence of a question. Safe for concurrent use on one event loop."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def generate(self, triples: Sequence[Triple]) -> str:
        """Generate one text for up to `MAX_TRIPLES_IN_TEXT` triples with one call of the model.

        Names are spelt as in the graph. Return `NO_FAITHFUL_TEXT` if the text is unfaithful. Raises DependencyError if
        the model does not respond.
        """
        text = await self._complete(triples)
        if not (problems := check_faithfulness(text, triples)):
            return text
        log.info("verbalising by grammar: the model's text has %s", counted(len(problems), "problem"))
        return NO_FAITHFUL_TEXT

    def cache_key(self, triples: Sequence[Triple], graph_version: str) -> str:
        """Return a key that covers everything that the text depends on."""
        facts = [(triple.subject, triple.relation, triple.object) for triple in triples]
        parts = [graph_version, self._model.name, PROMPT_VERSION, CHECKS_VERSION, KnowledgeFormat.TEXT, facts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    async def _complete(self, triples: Sequence[Triple]) -> str:
        knowledge = as_triples(triples)
        text = await self._model.complete(rewrite_prompt(knowledge), max_tokens=_token_limit(triples))
        ordinary = Source.from_facts(triples).relation_words
        names = entity_names(triples)
        return copy_names(unescape_completion(text, knowledge), names, ordinary, grouped_quantities(triples))


def _token_limit(triples: Sequence[Triple]) -> int:
    """Return a token limit with room for each name twice, at two bytes per token, and for a few words per triple."""
    name_bytes = sum(len(name.encode(errors="replace")) for name in entity_names(triples))
    return min(_MAX_TOKENS, 24 + 12 * len(triples) + name_bytes)
