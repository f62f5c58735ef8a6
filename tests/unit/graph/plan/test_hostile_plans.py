"""Of the plans that the suite `hostile` runs, those that no deadline could end are refused before they run."""

from collections import Counter
from pathlib import Path

from graph.plan.checks import check_plan
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError
from tests.support.hostile_plans import crowded_graph, hostile_plans
from tests.support.property_graphs import write_graph_file


async def test_each_kind_of_plan_is_refused_or_within_its_limits(tmp_path: Path) -> None:
    write_graph_file(crowded_graph(), tmp_path / "crowd.sqlite")
    store = SqliteGraphStore(tmp_path / "crowd.sqlite")
    schema = await store.schema()
    await store.close()
    plans, refused, messages = hostile_plans(), Counter[str](), []
    for one in plans:
        try:
            check_plan(one.plan, schema)
        except InvalidInputError as error:
            refused[one.family] += 1
            messages.append(error.detail)

    assert len({one.text for one in plans}) == len(plans) >= 200
    assert min(refused[family] for family in ("regular expressions", "nested lists", "quantifiers")) > 20
    limits = ("more than", "overlap each other", "nest at most")
    assert [message for message in messages if not any(one in message for one in limits)] == []
