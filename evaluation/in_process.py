"""Open the retriever in this process, and connect to the language models that the environment configures.

Fingerprints identify everything that outcomes depend on, so that an evaluation resumes only from its own journal.
"""

import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from contracts.confirmed_questions import read_confirmed
from evaluation.options import EvaluationOptions
from graph.store import GraphStore, WalkRule
from services.answerer.prompts import ANSWER_PROMPT_VERSION
from services.answerer.settings import AnswererSettings
from services.launcher import embedded_language_model
from services.llm.model_files import BASE, adapter_files
from services.retriever.paths.model_folder import MANIFEST_FILE
from services.retriever.plans.predictor.model import WRITER_FILE
from services.retriever.plans.predictor.plan_manifest import MANIFEST_FILE as PLAN_MANIFEST_FILE
from services.retriever.plans.predictor.plan_manifest import plans_folder
from services.retriever.replies.retrieval import Retrieval
from services.retriever.scopes.described_store import open_described_graph
from services.retriever.serving.wiring import assemble_retriever
from services.rewriter.prompts import PROMPT_VERSION
from services.rewriter.settings import RewriterSettings
from shared.llm.client import OpenAIClient
from shared.paths import confirmed_file, meaning_file
from shared.settings import load_settings

_PATIENCE_S = 60.0
_REWRITER_URL, _ANSWERER_URL = "KGQA_REWRITER_LLM_URL", "KGQA_ANSWERER_LLM_URL"


@dataclass(frozen=True, slots=True)
class LoadedRetriever:
    """Hold a graph and the retriever that was trained for it."""

    store: GraphStore
    retriever: Retrieval
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
    """Open a graph, and load the models in `folder`; `threshold` overrides the trained abstention threshold.

    Queries and plans may take a minute, so that a busy machine gives the same figures as an idle one.
    """
    confirmed = read_confirmed(confirmed_file(graph))
    store = open_described_graph(graph, _PATIENCE_S)
    try:
        await store.check()
        assembled = assemble_retriever(store, folder, threshold, _PATIENCE_S, confirmed=confirmed)
        rule = assembled.paths.walk_rule if assembled.paths else WalkRule()
        yield LoadedRetriever(store, Retrieval(assembled.retriever, store=store), rule)
    finally:
        await store.close()


@asynccontextmanager
async def open_language_models(
    graph: str, qa_model: str | None = None, base_model: str | None = None
) -> AsyncIterator[LanguageModels]:
    """Connect to the configured models; start the embedded server if a service has no model URL.

    The embedded server loads the graph's adapters. `qa_model` replaces the configured name of the QA model, and
    `base_model` names the rewriter's model without its adapter; by default it is the embedded model. Raises
    DependencyError if the embedded server does not start.
    """
    with ExitStack() as stack:
        embedded: dict[str, object] = {}
        if not all(name in os.environ for name in (_REWRITER_URL, _ANSWERER_URL)):
            server = stack.enter_context(embedded_language_model(graph=graph))
            embedded = {"llm_url": server.url, "llm_api_key": SecretStr(server.api_key)}
        rewriter = load_settings(RewriterSettings).model_copy(update={} if _REWRITER_URL in os.environ else embedded)
        answerer = load_settings(AnswererSettings).model_copy(update={} if _ANSWERER_URL in os.environ else embedded)
        base = rewriter.model_copy(update={"llm_model": base_model or BASE})
        qa = answerer.model_copy(update={"llm_model": qa_model or answerer.llm_model})
        clients = rewriter.language_model(), base.language_model(), qa.language_model()
        try:
            yield LanguageModels(*clients, rewriter.cache_entries)
        finally:
            for client in clients:
                await client.close()


async def run_fingerprint(
    options: EvaluationOptions, loaded: LoadedRetriever, models: LanguageModels | None
) -> dict[str, str]:
    """Return values that identify the graph, the retriever, the questions, and any models that an evaluation uses."""
    retrieval = retrieval_fingerprint(await loaded.store.version(), options.retriever, options.questions)
    for name, file in (("meaning", meaning_file(options.graph)), ("confirmed", confirmed_file(options.graph))):
        if file.is_file():
            retrieval[name] = _digest(file)
    return retrieval | (model_fingerprint(options.graph, models) if models else {})


def retrieval_fingerprint(graph_version: str, retriever: Path, questions: Path) -> dict[str, str]:
    """Return values that identify a graph, a trained retriever, and a question file."""
    plans = plans_folder(retriever)
    return {
        "graph": graph_version,
        "retriever": _digest(retriever / MANIFEST_FILE),
        "plans": _digest(plans / PLAN_MANIFEST_FILE) + _digest(plans / WRITER_FILE),
        "questions": _digest(questions),
    }


def model_fingerprint(graph: str, models: LanguageModels) -> dict[str, str]:
    """Return values that identify models and prompts; a model on the user's own server is identified by name."""
    return {
        **{f"adapter {name}": _digest(file) for name, file in adapter_files(graph).items()},
        "rewriter's model": models.rewriter.name,
        "base model": models.base.name,
        "QA model": models.qa.name,
        "rewriter's server": _server(_REWRITER_URL, models.rewriter),
        "answerer's server": _server(_ANSWERER_URL, models.qa),
        "prompts": f"{PROMPT_VERSION}, {ANSWER_PROMPT_VERSION}",
    }


def _server(variable: str, model: OpenAIClient) -> str:
    """Return the server's address, or "embedded" for the embedded server, whose port changes with each run."""
    return model.server if os.environ.get(variable) else "embedded"


def _digest(file: Path) -> str:
    """Identify the content of a file; a missing file has an identity of its own."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else "none"
