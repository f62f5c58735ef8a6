"""Open the retriever in this process, and connect to the language models that the environment configures."""

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from services.answerer.settings import AnswererSettings
from services.launcher import embedded_language_model
from services.llm.model_files import BASE
from services.retriever.linking.linker import EntityLinker
from services.retriever.pipeline import Retriever
from services.retriever.prediction.model import load_model
from services.rewriter.settings import RewriterSettings
from shared.graph.opening import open_graph
from shared.graph.store import GraphStore, WalkRule
from shared.llm.client import OpenAIClient
from shared.settings import load_settings

REWRITER_URL, ANSWERER_URL = "KGQA_REWRITER_LLM_URL", "KGQA_ANSWERER_LLM_URL"


@dataclass(frozen=True, slots=True)
class LoadedRetriever:
    """Hold a graph and the retriever that was trained for it."""

    store: GraphStore
    retriever: Retriever
    walk_rule: WalkRule


@dataclass(frozen=True, slots=True)
class LanguageModels:
    """Hold clients for the rewriter's model, for the same model without its adapter, and for the QA model.

    `cache_entries` is the configured size of the rewriter's text cache.
    """

    rewriter: OpenAIClient
    base: OpenAIClient
    qa: OpenAIClient
    cache_entries: int


@asynccontextmanager
async def open_retriever(graph: str, folder: Path, threshold: float | None = None) -> AsyncIterator[LoadedRetriever]:
    """Open a graph, and load the retriever in `folder`; `threshold` replaces the confidence below which it abstains.

    Raises:
        NotFoundError: the graph or the retriever does not exist.
        InvalidInputError: one of them is damaged.
        RefusedError: the settings do not match the graph.
    """
    store = open_graph(graph)
    try:
        await store.check()
        model = load_model(folder, threshold=threshold)
        yield LoadedRetriever(
            store, Retriever(store, EntityLinker(store, model.word_surprisal), model), model.manifest.walk_rule
        )
    finally:
        await store.close()


@asynccontextmanager
async def open_language_models(
    graph: str, qa_model: str | None = None, base_model: str | None = None
) -> AsyncIterator[LanguageModels]:
    """Connect to the configured models; start the embedded server for a service that has no model URL.

    Args:
        graph: name of the graph; the embedded server loads its adapters.
        qa_model: name of the QA model on its server; by default the configured name.
        base_model: name of the rewriter's model without its adapter; by default the name of the embedded model.

    Raises:
        DependencyError: the embedded server does not start.
    """
    with ExitStack() as stack:
        embedded: dict[str, object] = {}
        if not all(name in os.environ for name in (REWRITER_URL, ANSWERER_URL)):
            server = stack.enter_context(embedded_language_model(graph=graph))
            embedded = {"llm_url": server.url, "llm_api_key": SecretStr(server.api_key)}
        rewriter = load_settings(RewriterSettings).model_copy(update={} if REWRITER_URL in os.environ else embedded)
        answerer = load_settings(AnswererSettings).model_copy(update={} if ANSWERER_URL in os.environ else embedded)
        base = rewriter.model_copy(update={"llm_model": base_model or BASE})
        qa = answerer.model_copy(update={"llm_model": qa_model or answerer.llm_model})
        clients = rewriter.language_model(), base.language_model(), qa.language_model()
        try:
            yield LanguageModels(*clients, rewriter.cache_entries)
        finally:
            for client in clients:
                await client.close()
