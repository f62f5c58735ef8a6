"""Know the environment variables of all parts, and warn of those that no part reads."""

import os
from collections.abc import Collection

from graph.neo4j.settings import Neo4jSettings
from graph.plan.property_types import PropertyTypeSettings
from services.answerer.settings import AnswererSettings
from services.llm.settings import PORT_VARIABLE, EmbeddedSettings
from services.retriever.settings import RetrieverSettings
from services.rewriter.settings import RewriterSettings
from shared.settings import unknown_variables, variables_of
from shared.tracing.settings import TracingSettings

_OF_COMMANDS = frozenset(
    {
        "KGQA_API_KEY",
        "KGQA_CORPUS_LLM_API_KEY",
        "KGQA_CORPUS_QA_API_KEY",
        "KGQA_HOME",
        "KGQA_SECRETS_DIR",
        "KGQA_SPARQL_PASSWORD",
        "KGQA_SPARQL_TOKEN",
        "KGQA_SPARQL_USER",
        "KGQA_URL",
    }
)
_OF_TESTS = "KGQA_TEST_"


def known_variables() -> Collection[str]:
    """Return the names of all environment variables that some part reads."""
    classes = (AnswererSettings, EmbeddedSettings, Neo4jSettings, PropertyTypeSettings, RetrieverSettings)
    return variables_of(*classes, RewriterSettings, TracingSettings) | _OF_COMMANDS | {PORT_VARIABLE}


def unknown_settings() -> list[str]:
    """Describe each variable of this project in the environment that no part reads, and suggest similar ones."""
    names = [name for name in os.environ if not name.upper().startswith(_OF_TESTS)]
    return unknown_variables(names, known_variables())
