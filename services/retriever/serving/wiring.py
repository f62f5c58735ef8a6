"""Assemble the retriever from the models in a folder and a graph store."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from contracts.base import Strategy
from contracts.confirmed_questions import ConfirmedQuestion
from graph.store import GraphStore
from services.retriever.dense.triple_index import TripleIndex
from services.retriever.encoder.encoder import OnnxEncoder
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.paths.model import RetrieverModel, load_model
from services.retriever.paths.model_folder import MANIFEST_FILE, Manifest
from services.retriever.paths.paper.model import PaperModel
from services.retriever.plans.planner import PLAN_SECONDS, Planner
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_judge import PlanJudge
from services.retriever.plans.predictor.plan_manifest import (
    BASE_MODEL,
    PlanManifest,
    plans_folder,
    read_plan_manifest,
)
from services.retriever.plans.predictor.search import plan_search
from services.retriever.replies.connections import Connections
from services.retriever.replies.descriptions import Descriptions
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.pipeline import PATIENCE_S, Retriever
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.retrieval import RetrievalStrategy
from services.retriever.strategies.cypher import CypherStrategy
from services.retriever.strategies.dense import DenseStrategy
from services.retriever.strategies.neighbourhood import NeighbourhoodStrategy
from services.retriever.strategies.selection import StrategySelector
from services.retriever.trusted.questions import TrustedQuestions
from shared.llm.client import LanguageModel

NO_MODEL = "set a language model for it with KGQA_RETRIEVER_LLM_URL and KGQA_RETRIEVER_LLM_MODEL"


@dataclass(frozen=True, slots=True)
class LoadedModels:
    """Hold the models of a folder, which retrievers over several parts of a graph share; there may be no `paths`.

    The plans of `confirmed` questions are proposed for others that are read alike.
    """

    paths: RetrieverModel | PaperModel | None
    plans: PlanModel
    judge: PlanJudge
    plan_manifest: PlanManifest
    threshold: float | None
    confirmed: Sequence[ConfirmedQuestion] = ()


@dataclass(frozen=True, slots=True)
class AssembledRetriever:
    """Hold a retriever, its plans with the encoder of their model, and the manifest of its relation paths, if any."""

    retriever: Retriever
    plans: PlanReplies
    encoder: OnnxEncoder
    paths: Manifest | None


def assemble_retriever(
    store: GraphStore,
    folder: Path,
    threshold: float | None = None,
    patience_s: float | None = None,
    trusted: TrustedQuestions | None = None,
    confirmed: Sequence[ConfirmedQuestion] = (),
) -> AssembledRetriever:
    """Assemble a retriever from the models in a folder; see `load_models`.

    Args:
        store: The graph.
        folder: The model folder; it need not exist.
        threshold: The confidence below which there is no answer; by default, the models' own thresholds.
        patience_s: The seconds that plans may take; by default, those that people wait for.
        trusted: Questions that an owner pinned to plans.
        confirmed: Questions whose plans are proposed for others that are read alike.

    Raises:
        InvalidInputError: A model is damaged, or belongs to another version.
        NotFoundError: A model is incomplete.
    """
    return with_models(store, replace(load_models(folder, threshold), confirmed=confirmed), patience_s, trusted)


def load_models(folder: Path, threshold: float | None = None) -> LoadedModels:
    """Load the models that `kgqa train retriever` wrote to a folder; the packaged base model stands in for plans.

    Raises:
        InvalidInputError: A model is damaged, or belongs to another version.
        NotFoundError: A model is incomplete.
    """
    paths = load_model(folder, threshold=threshold) if (folder / MANIFEST_FILE).is_file() else None
    plans = PlanModel(plans_folder(folder))
    judge, plan_manifest = judge_of(plans, plans_folder(folder)), read_plan_manifest(plans_folder(folder))
    return LoadedModels(paths, plans, judge, plan_manifest, threshold)


def with_models(
    store: GraphStore,
    models: LoadedModels,
    patience_s: float | None = None,
    trusted: TrustedQuestions | None = None,
    without: Collection[str] = (),
) -> AssembledRetriever:
    """Assemble a retriever over a graph, or over a part of it; see `assemble_retriever`.

    Plans are read without the rules whose names are given.
    """
    paths = None
    if models.paths is not None:
        paths = PathReplies(store, EntityLinker(store, models.paths.word_surprisal), models.paths)
    seconds = patience_s or PLAN_SECONDS
    planner = _planner(store, models.plans, models.judge, models.plan_manifest, seconds, without, models.confirmed)
    threshold = models.plan_manifest.threshold if models.threshold is None else models.threshold
    plans = PlanReplies(store, planner, threshold)
    retriever = Retriever(
        paths, plans, Descriptions(store, plans), patience_s or PATIENCE_S, trusted, Connections(store, plans)
    )
    return AssembledRetriever(retriever, plans, models.plans.encoder, models.paths.manifest if models.paths else None)


def assemble_strategies(
    store: GraphStore,
    assembled: AssembledRetriever,
    index: TripleIndex | str,
    model: LanguageModel | str,
) -> StrategySelector:
    """Return the available strategies around a retriever.

    `index` is the index of the graph's triples, or says why there is none. The language `model` writes queries and
    chains of thought, or says why there is none.
    """
    encoder = assembled.encoder
    linker = EntityLinker(store, WordSurprisal(vocabulary=encoder.vocabulary))
    strategies: dict[Strategy, RetrievalStrategy] = {
        Strategy.PLAN: assembled.retriever,
        Strategy.NEIGHBOURHOOD: NeighbourhoodStrategy(store, linker, encoder),
    }
    missing = {}
    if isinstance(index, str):
        missing[Strategy.DENSE] = index
    else:
        strategies[Strategy.DENSE] = DenseStrategy(store, linker, index, None if isinstance(model, str) else model)
    if isinstance(model, str):
        missing[Strategy.CYPHER] = model
    else:
        strategies[Strategy.CYPHER] = CypherStrategy(store, linker, assembled.plans, model)
    return StrategySelector(strategies, missing)


def load_planner(store: GraphStore, folder: Path) -> Planner:
    """Load a planner with the plan model of a retriever's folder, or with the base model if the folder has none."""
    manifest, model = read_plan_manifest(plans_folder(folder)), PlanModel(plans_folder(folder))
    return _planner(store, model, judge_of(model, plans_folder(folder)), manifest, PLAN_SECONDS)


def judge_of(model: PlanModel, folder: Path) -> PlanJudge:
    """Return the packaged judge, for a plan model from a folder; it reads with the base model that it belongs to."""
    return PlanJudge(model if folder == BASE_MODEL else PlanModel(BASE_MODEL), BASE_MODEL)


def _planner(
    store: GraphStore,
    model: PlanModel,
    judge: PlanJudge,
    manifest: PlanManifest,
    seconds: float,
    without: Collection[str] = (),
    confirmed: Sequence[ConfirmedQuestion] = (),
) -> Planner:
    search_for, words = plan_search(model, judge), model.encoder.vocabulary
    return Planner(store, search_for, manifest.calibration, manifest.ranking, seconds, words, without, confirmed)
