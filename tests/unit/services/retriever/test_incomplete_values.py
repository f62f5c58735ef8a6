from pathlib import Path

import pytest

from contracts.retrieve import RetrieveRequest
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from services.retriever.plans.planner import Planner
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.retrieval import Retrieval
from tests.fakes.planning import ScriptedPlans

_QUESTION = "Who was born first?"
_PLAN = "KIND:Person SORT PROPERTY:Person.born ASCENDING LIMIT ONE RETURN VARIABLE:0 END"


@pytest.mark.parametrize(
    ("day", "answer", "warnings"), [("1800-01-01", "Bo", []), ("-0044-03-15", "Ann", ["left_out_values"])]
)
async def test_an_answer_from_some_of_the_values_is_less_certain(
    tmp_path: Path, day: str, answer: str, warnings: list[str]
) -> None:
    days = {"Ann": "1900-01-01", "Bo": day, "Cy": "1950-01-01", "Di": "1960-01-01"}
    (tmp_path / "f.tsv").write_text(
        "".join(f"{one}\t:LABEL\tPerson\n{one}\tborn\t{day}\n" for one, day in days.items())
    )
    import_files([tmp_path / "f.tsv"], tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    planner = Planner(store, lambda elements: ScriptedPlans({_QUESTION: [(_PLAN, -0.1)]}, elements))

    response = await Retrieval(PlanReplies(store, planner, 0.1)).retrieve(RetrieveRequest(question=_QUESTION))
    await store.close()

    assert [one.value for one in response.answers] == [answer]
    assert [one.kind for one in response.warnings if one.kind == "left_out_values"] == warnings
    assert (response.confidence <= 0.75) == bool(warnings)
