"""The services' parts as an evaluation uses them: in process, over the language models of the environment."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
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
class Opened:
    """A graph and a retriever trained for it."""

    store: GraphStore
    retriever: Retriever
    walk_rule: WalkRule


@asynccontextmanager
async def retrieval(graph: str, folder: Path, threshold: float | None = None) -> AsyncIterator[Opened]:
    """The graph of this name and the trained retriever in `folder`, which abstains below its own `threshold` or this.

    Raises NotFoundError or InvalidInputError for either of them missing or damaged, RefusedError for a graph that the
    settings do not fit.
    """
    store = open_graph(graph)
    try:
        await store.check()
        model = load_model(folder, threshold=threshold)
        linker = EntityLinker(store, model.word_surprisal)
        yield Opened(store, Retriever(store, linker, model), model.manifest.walk_rule)
    finally:
        await store.close()


@dataclass(frozen=True, slots=True)
class Models:
    """The model that verbalises, the same without its adapter, and the one that answers."""

    verbaliser: OpenAIClient
    base: OpenAIClient
    qa_model: OpenAIClient
    cache_entries: int


@asynccontextmanager
async def language_models(graph: str, qa_model: str | None = None, base: str | None = None) -> AsyncIterator[Models]:
    """The models of the services' settings; the embedded server is started for whichever has no URL.

    `qa_model`, `base`: names on the servers of the answerer and the rewriter, by default the settings' own and the
    embedded model. Raises DependencyError if the embedded server does not start.
    """
    with _settings(graph) as (rewriter, answerer):
        answerer = answerer.model_copy(update={"llm_model": qa_model}) if qa_model else answerer
        plain = rewriter.model_copy(update={"llm_model": base or BASE})
        models = Models(
            rewriter.language_model(), plain.language_model(), answerer.language_model(), rewriter.cache_entries
        )
        try:
            yield models
        finally:
            for client in (models.verbaliser, models.base, models.qa_model):
                await client.close()


@contextmanager
def _settings(graph: str) -> Iterator[tuple[RewriterSettings, AnswererSettings]]:
    if all(name in os.environ for name in (REWRITER_URL, ANSWERER_URL)):
        yield load_settings(RewriterSettings), load_settings(AnswererSettings)
        return
    with embedded_language_model(graph=graph) as server:
        embedded = {"llm_url": server.url, "llm_api_key": SecretStr(server.api_key)}
        yield (
            load_settings(RewriterSettings).model_copy(update={} if REWRITER_URL in os.environ else embedded),
            load_settings(AnswererSettings).model_copy(update={} if ANSWERER_URL in os.environ else embedded),
        )
