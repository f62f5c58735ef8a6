"""List the environment variables that each image reads, as determined from its settings classes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from pydantic_settings import BaseSettings

from graph.neo4j.settings import Neo4jSettings
from graph.plan.property_types import PropertyTypeSettings
from services.answerer.app import create_app as create_answerer
from services.answerer.settings import AnswererSettings
from services.retriever.settings import RetrieverSettings
from services.rewriter.app import create_app as create_rewriter
from services.rewriter.settings import RewriterSettings
from shared.tracing.settings import TracingSettings
from shared.web.health import ServiceMetrics
from shared.web.service import create_service


def _variables(*classes: type[BaseSettings]) -> set[str]:
    variables = {
        f"{settings.model_config.get('env_prefix', '')}{field}".upper()
        for settings in classes
        for field in settings.model_fields
    }
    return variables | {"KGQA_SECRETS_DIR"}


SETTINGS = {
    "kgqa/answerer": _variables(AnswererSettings, TracingSettings),
    "kgqa/retriever": _variables(RetrieverSettings, Neo4jSettings, PropertyTypeSettings, TracingSettings)
    | {"KGQA_HOME"},
    "kgqa/rewriter": _variables(RewriterSettings, TracingSettings),
    "kgqa/llm": {"KGQA_HOME", "KGQA_SECRETS_DIR", "KGQA_EMBEDDED_LLM_PORT", "KGQA_EMBEDDED_LLM_API_KEY"},
}


def service_app(name: str) -> FastAPI:
    """Create a service's app; the retriever, which needs a graph and a model, gets only the shared routes."""
    if name == "answerer":
        return create_answerer(AnswererSettings())
    if name == "rewriter":
        return create_rewriter(RewriterSettings())
    return create_service("retriever", "", RetrieverSettings(), ServiceMetrics(), {}, _nothing)


@asynccontextmanager
async def _nothing(_: FastAPI) -> AsyncIterator[None]:
    yield
