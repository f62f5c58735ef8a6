"""A plan model is trained on one graph, from the packaged base model."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from language.english.english import english

pytest.importorskip("torch", reason="needs the train extra: make install-train")

from graph.sqlite.store import SqliteGraphStore
from question_sets.records import QuestionRecord
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL, read_plan_manifest
from services.retriever.plans.predictor.search import plan_search
from tests.support.property_graphs import film_graph, write_graph_file
from training.planning.adapt import AdaptOptions, AdaptReport, adapt
from training.planning.own_questions import OWN

pytestmark = pytest.mark.train

_OPTIONS = AdaptOptions(per_element=4, passes=1.0, seed=3)
_RECORDS = (
    QuestionRecord.model_validate(
        {"question": "Size of our film catalogue?", "cypher": "MATCH (f:Film) RETURN count(f)"}
    ),
    QuestionRecord.model_validate({"question": "Anything on yachts?", "cypher": "MATCH (y:Yacht) RETURN y"}),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphStore:
    file = tmp_path_factory.mktemp("graph") / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


async def _adapted(store: SqliteGraphStore, out: Path) -> AdaptReport:
    checkpoints = out.with_name(f"{out.name}-checkpoints")
    return await adapt(store, BASE_MODEL, out, checkpoints, lambda *_: None, _RECORDS, options=_OPTIONS)


@pytest.fixture(scope="module")
def adapted(store: SqliteGraphStore, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, AdaptReport]:
    out = tmp_path_factory.mktemp("models") / "first"
    return out, asyncio.run(_adapted(store, out))


async def test_the_report_says_what_was_learnt_from(adapted: tuple[Path, AdaptReport]) -> None:
    _, report = adapted

    assert (report.given, sum(map(len, report.skipped.values()))) == (1, 1)
    assert report.made_up > 20
    assert 0.0 <= report.before.plans <= 1.0 and report.after.actions > 0.5


async def test_the_confidence_stays_the_one_of_the_base_model(
    store: SqliteGraphStore, adapted: tuple[Path, AdaptReport]
) -> None:
    manifest, base = read_plan_manifest(adapted[0]), read_plan_manifest(BASE_MODEL)

    trained_on = {"trained_on": OWN, "graph_version": await store.version()}
    assert manifest == base.model_copy(update=trained_on)


async def test_the_model_reads_questions(store: SqliteGraphStore, adapted: tuple[Path, AdaptReport]) -> None:
    planner = Planner(store, plan_search(PlanModel(adapted[0])))

    readings = await planner.read(english("How many films are there?"))

    assert readings[0].result.rows == ((20,),)


async def test_equal_seeds_give_equal_models(
    store: SqliteGraphStore, adapted: tuple[Path, AdaptReport], tmp_path: Path
) -> None:
    await _adapted(store, tmp_path / "second")

    assert _digests(tmp_path / "second") == _digests(adapted[0])


def _digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
