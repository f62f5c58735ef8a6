"""Open the services' parts in this process, over the language models that the environment configures."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from services.answerer.settings import AnswererSettings
from services.llm.embedded import embedded_server
from services.llm.model import BASE
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
class LanguageModels:
    """The rewriter's model, the same model without its adapter, and the QA model.

    `cache_entries`: the configured size of the rewriter's text cache.
    """

    rewriter: OpenAIClient
    base: OpenAIClient
    qa: OpenAIClient
    cache_entries: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A graph, a retriever trained for it, and the language models, unless only retrieval is evaluated."""

    store: GraphStore
    retriever: Retriever
    walk_rule: WalkRule
    models: LanguageModels | None


@asynccontextmanager
async def open_pipeline(
    graph: str,
    retriever: Path,
    *,
    threshold: float | None = None,
    with_models: bool = True,
    qa_model: str | None = None,
    base_model: str | None = None,
) -> AsyncIterator[Pipeline]:
    """Open a graph, a retriever, and the language models; close them on exit.

    The embedded language model is started for each service that has no language model URL.

    Args:
        graph: name of the graph.
        retriever: folder of the trained retriever.
        threshold: confidence below which the retriever abstains; by default the trained one.
        with_models: open the language models too.
        qa_model: name of the QA model on its server; by default that of the settings.
        base_model: name of the rewriter's model without its adapter; by default the embedded one.

    Raises:
        NotFoundError: the graph or the retriever does not exist.
        InvalidInputError: the graph or the retriever is damaged.
        RefusedError: the settings do not match the graph.
        DependencyError: the embedded language model does not start.
    """
    store = open_graph(graph)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        await store.check()
        model = load_model(retriever, threshold=threshold)
        linker = EntityLinker(store, model.rarity)
        models = _language_models(graph, qa_model, base_model) if with_models else None
        yield Pipeline(
            store,
            Retriever(store, linker, model),
            model.manifest.walk_rule,
            await stack.enter_async_context(models) if models else None,
        )


@asynccontextmanager
async def _language_models(graph: str, qa_model: str | None, base_model: str | None) -> AsyncIterator[LanguageModels]:
    with ExitStack() as stack:
        embedded: dict[str, object] = {}
        if not all(name in os.environ for name in (REWRITER_URL, ANSWERER_URL)):
            server = stack.enter_context(embedded_server(graph=graph))
            embedded = {"llm_url": server.url, "llm_api_key": SecretStr(server.api_key)}
        rewriter = load_settings(RewriterSettings).model_copy(update={} if REWRITER_URL in os.environ else embedded)
        answerer = load_settings(AnswererSettings).model_copy(update={} if ANSWERER_URL in os.environ else embedded)
        base = rewriter.model_copy(update={"llm_model": base_model or BASE})
        qa = answerer.model_copy(update={"llm_model": qa_model}) if qa_model else answerer
        clients = rewriter.language_model(), base.language_model(), qa.language_model()
        try:
            yield LanguageModels(*clients, rewriter.cache_entries)
        finally:
            for client in clients:
                await client.close()
