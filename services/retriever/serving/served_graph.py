"""Hold one graph with its retriever, as one version that is served and replaced as a whole."""

import logging
from dataclasses import dataclass, replace
from pathlib import Path

from contracts.confirmed_questions import read_confirmed
from contracts.meaning_file import read_meaning_file
from graph.opening import indexed_file, is_file_graph, open_graph
from graph.store import GraphStore, split_step
from services.retriever.dense.triple_index import TripleIndex, open_index_if_any
from services.retriever.paths.model_folder import MANIFEST_FILE, Manifest
from services.retriever.plans.predictor.plan_manifest import MANIFEST_FILE as PLAN_MANIFEST_FILE
from services.retriever.plans.predictor.plan_manifest import PLANS_FOLDER, PlanManifest
from services.retriever.replies.pipeline import Retriever
from services.retriever.replies.retrieval import Retrieval
from services.retriever.scopes.described_store import described_store, hides
from services.retriever.serving.model_age import age_problem
from services.retriever.serving.scoped_parts import GraphPart, ScopedParts
from services.retriever.serving.wiring import NO_MODEL, assemble_strategies, load_models, with_models
from services.retriever.settings import RetrieverSettings
from services.retriever.strategies.selection import StrategySelector
from services.retriever.trusted.questions import TrustedQuestions
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.paths import confirmed_file, index_file, meaning_file, retriever_folder, trusted_file

log = logging.getLogger(__name__)

_HIDES = "the index of its triples has what meaning.toml hides"


@dataclass(frozen=True, slots=True)
class ServedGraph:
    """A graph, its retriever, strategies, and trusted questions; the manifests of its models and its index, if any."""

    graph: str
    store: GraphStore
    retriever: Retriever
    strategies: StrategySelector
    trusted: TrustedQuestions
    paths: Manifest | None
    plans: PlanManifest
    index: TripleIndex | None
    parts: ScopedParts

    def within(self, scope: tuple[str, ...]) -> GraphPart:
        """Return what is visible of the graph within a scope: everything if the scope is empty."""
        if scope:
            return self.parts.within(scope)
        return GraphPart(self.store, Retrieval(self.strategies, store=self.store))

    async def ready(self) -> bool:
        """Return whether the graph has been read; raise DependencyError while it is being read."""
        return await self.retriever.ready()

    async def close(self) -> None:
        """Wait for running queries, and close the graph and its index."""
        await self.parts.close()
        await self.store.close()
        if self.index is not None:
            self.index.close()

    async def model_is_current(self) -> bool:
        """Return True; raise DependencyError, saying so, if the retriever is older than the graph file."""
        if not is_file_graph():  # a database does not record the version of the training
            return True
        trained_on = [(self.graph, self.plans.graph_version)] if self.plans.graph_version else []
        if self.paths is not None:
            trained_on.append((self.paths.graph, self.paths.graph_version))
        for graph, version in trained_on:
            if problem := age_problem(graph, version, self.graph, await self.store.version()):
                raise DependencyError(problem, problem)
        return True

    async def warn_if_relations_differ(self) -> None:
        """Log the relations that only the graph, or only its trained retriever, has."""
        if self.paths is None:
            return
        try:
            await self.store.check()
            in_graph = set(await self.store.relations())
        except DependencyError as error:
            log.warning("%s", error)  # the readiness check fails as well
            return
        in_model = {split_step(step)[0] for step in self.paths.steps}
        if in_graph and in_model.isdisjoint(in_graph):
            log.warning(
                "the retriever was trained on another graph, as it knows none of the relations of %s; train one, or "
                "let KGQA_RETRIEVER_MODEL name a folder without one, to use the packaged base model",
                self.graph,
            )
            return
        if missing := sorted(in_model - in_graph):
            log.warning("the retriever was trained on relations that the graph lacks: %s", ", ".join(missing))
        if unknown := sorted(in_graph - in_model):
            log.warning(
                "the graph has relations unknown to the retriever (%s); retrain the retriever", ", ".join(unknown)
            )


def load_graph(settings: RetrieverSettings, model: LanguageModel | None = None) -> ServedGraph:
    """Open the graph, and load its retriever; raise NotFoundError or InvalidInputError if one of them is damaged.

    The language `model` writes queries; its owner closes it.
    """
    said = read_meaning_file(meaning_file(settings.graph))
    stored = open_graph(settings.graph)
    store = described_store(stored, said)
    trusted = TrustedQuestions(store, trusted_file(settings.graph))
    folder = model_folder(settings)
    models = replace(load_models(folder, settings.threshold), confirmed=read_confirmed(confirmed_file(settings.graph)))
    assembled = with_models(store, models, trusted=trusted)
    found = _HIDES if hides(said) else open_index_if_any(settings.graph)
    strategies = assemble_strategies(store, assembled, found, model or NO_MODEL)
    index = None if isinstance(found, str) else found
    parts = ScopedParts(stored, models, trusted_file(settings.graph), said)
    manifests = assembled.paths, models.plan_manifest
    return ServedGraph(settings.graph, store, assembled.retriever, strategies, trusted, *manifests, index, parts)


def model_folder(settings: RetrieverSettings) -> Path:
    """Return the folder of the retriever."""
    return settings.model or retriever_folder(settings.graph)


def watched_files(settings: RetrieverSettings) -> list[Path]:
    """Return the files whose changes are picked up: the graph, its index, what its owner says and confirms, and models.

    Of models, it is the manifests, which are written last.

    A database is read anew by its own store; its index is one of a snapshot.
    """
    folder = model_folder(settings)
    manifests = [folder / MANIFEST_FILE, folder / PLANS_FOLDER / PLAN_MANIFEST_FILE]
    indexed = indexed_file(settings.graph)
    return [indexed, index_file(indexed), meaning_file(settings.graph), confirmed_file(settings.graph), *manifests]
