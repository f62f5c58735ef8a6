import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.confirmed_questions import ConfirmedQuestion
from graph.plan.algebra import Group, Plan, Slice
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from services.retriever.plans.predictor.search import PredictedActions
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import DeadlineExceededError, DependencyError, InvalidInputError
from tests.fakes.planning import Script, ScriptedPlans, read_actions
from tests.support.property_graphs import film_graph, write_graph_file
from tests.support.waiting import HANGS_AFTER_S

LATE = "Which films came after 1989?"
LATE_PLAN = "KIND:Film PROPERTY:Film.year GREATER VALUE:0 RETURN VARIABLE:0 END"
COUNT_PLAN = "KIND:Film PROPERTY:Film.year GREATER VALUE:0 GROUP COUNT_ROWS END"
NOTHING_PLAN = "KIND:Film PROPERTY:Film.year LESS VALUE:0 PROPERTY:Film.year GREATER VALUE:0 RETURN VARIABLE:0 END"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return file


@pytest.fixture(scope="module")
def store(graph: Path) -> GraphStore:
    return SqliteGraphStore(graph, 5.0)


async def read(store: GraphStore, script: Mapping[str, Script], question: str) -> list[PlanReading]:
    return await Planner(store, lambda elements: ScriptedPlans(script, elements)).read(english(question))


async def test_the_best_plan_that_gives_something_comes_first(store: GraphStore) -> None:
    readings = await read(store, {LATE: [(NOTHING_PLAN, -0.1), (LATE_PLAN, -2.0)]}, LATE)

    names = {row[0].name for row in readings[0].result.rows if isinstance(row[0], NodeRef)}
    assert names == {f"Film {n}" for n in range(20) if 1980 + n % 12 > 1989}
    assert readings[1].features.is_empty


async def test_plans_with_equal_results_count_as_one_reading(store: GraphStore) -> None:
    same = "KIND:Film PROPERTY:Film.year GREATER VALUE:0 PROPERTY:Film.year AT_LEAST VALUE:0 RETURN VARIABLE:0 END"

    readings = await read(store, {LATE: [(COUNT_PLAN, -0.9), (LATE_PLAN, -1.0), (same, -1.1)]}, LATE)

    assert [len(one.result.rows) for one in readings] == [2, 1]
    assert readings[0].share == pytest.approx(0.3679 + 0.3329, abs=1e-3)


async def test_the_most_complete_of_plans_with_equal_results_stands_for_them(store: GraphStore) -> None:
    question = "Is there a film with a rating over 99 after 1989?"
    partly = "KIND:Film PROPERTY:Film.rating GREATER VALUE:0 GROUP COUNT_ROWS END"
    wholly = f"{partly.removesuffix(' GROUP COUNT_ROWS END')} PROPERTY:Film.year GREATER VALUE:1 GROUP COUNT_ROWS END"

    [reading] = await read(store, {question: [(partly, -0.2), (wholly, -3.0)]}, question)

    assert reading.result.rows == ((0,),)
    assert reading.unread == ()
    assert reading.share == pytest.approx(0.0498, abs=1e-3)


class _SlowCounts(SqliteGraphStore):
    """Take too long for counts."""

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        if any(isinstance(step, Group) for step in plan.steps):
            raise DeadlineExceededError
        return await super().run(plan, max_rows)


@pytest.mark.parametrize(("slow", "quick", "is_overtaken"), [(-0.1, -2.0, True), (-2.0, -0.1, False)])
async def test_a_likelier_plan_that_took_too_long_overtakes(
    graph: Path, slow: float, quick: float, is_overtaken: bool
) -> None:
    [reading] = await read(_SlowCounts(graph, 5.0), {LATE: [(COUNT_PLAN, slow), (LATE_PLAN, quick)]}, LATE)

    assert reading.is_overtaken is is_overtaken


async def test_plans_that_all_take_too_long_miss_the_deadline(graph: Path) -> None:
    with pytest.raises(DeadlineExceededError, match="take too long"):
        await read(_SlowCounts(graph, 5.0), {LATE: [(COUNT_PLAN, -0.1)]}, LATE)


async def test_words_that_the_plan_does_not_account_for_are_named_and_lower_the_confidence(store: GraphStore) -> None:
    question = "How many films came after 1989?"
    script = {question: [(LATE_PLAN, -0.1)], LATE: [(LATE_PLAN, -0.1)]}

    [misread] = await read(store, script, question)
    [right] = await read(store, script, LATE)

    assert "How many" in misread.unread
    assert "How many" not in right.unread
    assert misread.confidence < right.confidence


async def test_a_plan_that_does_not_run_is_passed_over(store: GraphStore) -> None:
    ill_typed = "KIND:Film PROPERTY:Film.title AT_LEAST VALUE:0 GROUP AVERAGE PROPERTY:Film.title END"

    readings = await read(store, {LATE: [(ill_typed, -0.1), (LATE_PLAN, -3.0)]}, LATE)

    assert len(readings[0].result.rows) == 2


async def test_a_question_without_plans_has_no_readings(store: GraphStore) -> None:
    assert await read(store, {}, "What now?") == []


class _Slow:
    """Predict plans for a graph, but only after `may_finish`; count how often the graph was read."""

    def __init__(self) -> None:
        self.may_finish = threading.Event()
        self.reads = 0

    def __call__(self, elements: SchemaElements) -> ScriptedPlans:
        self.reads += 1
        assert self.may_finish.wait(HANGS_AFTER_S)
        return ScriptedPlans({LATE: [(COUNT_PLAN, -0.1)]}, elements)


async def test_the_graph_is_read_once_although_the_first_request_is_cancelled(store: GraphStore) -> None:
    slow = _Slow()
    planner = Planner(store, slow)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(planner.read(english(LATE)), 0.2)
    slow.may_finish.set()

    assert (await planner.read(english(LATE)))[0].result.rows == ((2,),)
    assert slow.reads == 1


class _SlowSchema(SqliteGraphStore):
    """Have a new version at once, but go on with the schema of the old one for a while, as a database does."""

    def __init__(self, file: Path, old_schema: GraphSchema) -> None:
        super().__init__(file, 5.0)
        self.old_schema: GraphSchema | None = old_schema

    async def schema(self) -> GraphSchema:
        return self.old_schema or await super().schema()


async def test_questions_of_all_kinds_can_be_read_as_soon_as_the_graph_has_been_read(store: GraphStore) -> None:
    slow = _Slow()
    planner = Planner(store, slow)

    with pytest.raises(DependencyError, match="being read"):
        await planner.ready()
    slow.may_finish.set()
    await planner.read(english(LATE))

    assert await planner.ready()
    assert slow.reads == 1


async def test_a_changed_graph_is_read_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.retriever.plans.prepared_graph._PATIENCE_S", 0.05)
    write_graph_file(film_graph(), tmp_path / "films.sqlite")
    changing, slow = SqliteGraphStore(tmp_path / "films.sqlite", 5.0), _Slow()
    slow.may_finish.set()
    planner = Planner(changing, slow)
    await planner.read(english(LATE))

    async def changed() -> str:
        return "changed"

    monkeypatch.setattr(changing, "version", changed)
    slow.may_finish.clear()
    assert await planner.read(english(LATE))
    assert slow.reads == 2
    slow.may_finish.set()
    assert await planner.read(english(LATE))


async def test_a_schema_that_comes_after_the_version_is_read_as_well(graph: Path, store: GraphStore) -> None:
    people = (await store.schema()).kinds["Person"]
    changing = _SlowSchema(graph, GraphSchema({"Person": people}, {}))
    planner = Planner(changing, lambda elements: ScriptedPlans({LATE: [(LATE_PLAN, -0.1)]}, elements))

    assert "Film" not in (await planner.view()).schema.kinds
    changing.old_schema = None

    assert "Film" in (await planner.view()).schema.kinds
    assert await planner.read(english(LATE))


async def test_long_lists_are_cut_and_have_each_row_once(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.retriever.plans.running.MAX_ROWS", 5)
    everyone = "KIND:Person OUT:Person.ACTED_IN RETURN VARIABLE:0 END"

    [reading] = await read(store, {"Who acted in a film?": [(everyone, -0.1)]}, "Who acted in a film?")

    people = [row[0] for row in reading.result.rows]
    assert len(set(people)) == 5


async def test_plans_that_use_more_of_the_values_run_although_they_are_improbable(store: GraphStore) -> None:
    every_film = "KIND:Film RETURN VARIABLE:0 END"

    readings = await read(store, {LATE: [(every_film, -0.1), (LATE_PLAN, -6.0), (COUNT_PLAN, -6.1)]}, LATE)

    assert [len(one.result.rows) for one in readings] == [20, 2, 1]


async def test_improbable_plans_run_if_the_probable_ones_leave_something_unread(store: GraphStore) -> None:
    question = "Which films were not released in 1984?"
    released = "KIND:Film PROPERTY:Film.year EQUAL VALUE:0 RETURN VARIABLE:0 END"
    others = "KIND:Film PROPERTY:Film.year UNEQUAL VALUE:0 RETURN VARIABLE:0 END"

    [best, _] = await read(store, {question: [(released, -0.1), (others, -2.3)]}, question)

    assert best.completeness == 1.0
    assert len(best.result.rows) > 1


async def test_a_reading_that_counts_something_comes_before_one_that_counts_nothing(store: GraphStore) -> None:
    question = "How many films came before 1800 or after 1989?"
    nothing = "KIND:Film PROPERTY:Film.year LESS VALUE:0 GROUP COUNT_ROWS END"
    something = "KIND:Film PROPERTY:Film.year GREATER VALUE:1 GROUP COUNT_ROWS END"

    readings = await read(store, {question: [(nothing, -0.2), (something, -1.8)]}, question)

    assert [one.result.rows for one in readings] == [((2,),), ((0,),)]


async def test_nodes_of_another_kind_than_asked_for_lower_the_confidence(store: GraphStore) -> None:
    people = "KIND:Person RETURN VARIABLE:0 END"

    readings = await read(store, {LATE: [(people, -0.1), (LATE_PLAN, -0.1)]}, LATE)

    confidence = {one.features.is_other_kind: one.confidence for one in readings}
    assert confidence[True] < confidence[False]


def test_rules_that_nobody_knows_cannot_be_left_out(store: GraphStore) -> None:
    with pytest.raises(
        InvalidInputError, match="no rule is called 'totally'; the rules are voices, negated-relationships, "
    ):
        Planner(store, lambda elements: ScriptedPlans({}, elements), without=["totals", "totally"])


async def test_a_rule_that_is_left_out_changes_no_plan(store: GraphStore) -> None:
    question = "Which is the third newest film?"
    script = {question: [("KIND:Film SORT PROPERTY:Film.year DESCENDING LIMIT ONE RETURN VARIABLE:0 END", -0.1)]}

    [ranked] = await read(store, script, question)
    [first, *_] = await Planner(store, lambda elements: ScriptedPlans(script, elements), without=["ordinals"]).read(
        english(question)
    )

    assert Slice(1, 2) in ranked.read.steps
    assert Slice(1) in first.read.steps


_KNOWN = frozenset(
    ["how", "many", "films", "did", "people", "direct", "are", "there", "the", "of", "a", "after", "came", "which"]
)


async def test_misspelt_words_are_read_as_those_of_the_schema(store: GraphStore) -> None:
    spelt, plan = "how many filsm are there", "KIND:Film GROUP COUNT_ROWS END"
    script = {"how many films are there": [(plan, -0.1)]}

    def planner(known: frozenset[str] | None) -> Planner:
        return Planner(store, lambda elements: ScriptedPlans(script, elements), known_words=known)

    [reading] = await planner(_KNOWN).read(english(spelt))
    assert (reading.result.rows, reading.respelled, reading.unread) == (((20,),), {"filsm": "films"}, ())
    [right] = await planner(_KNOWN).read(english("how many films are there"))
    assert right.respelled == {}
    assert await planner(None).read(english(spelt)) == []


async def test_names_are_not_respelled(store: GraphStore) -> None:
    asked = []

    class _Listening(ScriptedPlans):
        def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
            asked.append(question.text)
            return []

    planner = Planner(store, lambda elements: _Listening({}, elements), known_words=_KNOWN)
    for question in ("which films did Persn 3 direct", "when was peson 3 born", "films of `filsm`"):
        await planner.read(english(question))

    assert asked[0] == "which films did Persn 3 direct"
    assert asked[2] == "films of `filsm`"


class _Confirming(ScriptedPlans):
    """Say that the counts among the scripted plans are those of confirmed questions."""

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
        found = super().predict(question, values, width)
        return [replace(one, confirmed=0.7 * (one.actions[-2].op is Op.COUNT_ROWS)) for one in found]


async def test_a_confirmed_plan_comes_before_a_more_probable_one_and_is_trusted_more(store: GraphStore) -> None:
    script = {LATE: [(LATE_PLAN, -0.7), (COUNT_PLAN, -3.0)]}

    likely, unlikely = await read(store, script, LATE)
    planner = Planner(store, lambda elements: _Confirming(script, elements), ranking=PlanCalibration())
    first, second = await planner.read(english(LATE))

    assert (len(likely.result.rows), len(first.result.rows)) == (second.features.rows, 1)
    assert first.features.is_confirmed
    assert first.confidence > unlikely.confidence


async def test_confirmed_questions_are_read_with_the_values_of_the_graph(
    store: GraphStore, caplog: pytest.LogCaptureFixture
) -> None:
    actions = (("KIND", "Film"), ("PROPERTY", False, "Film", "year"), ("GREATER", 0), ("VALUE", 23, 27))
    confirmed = [
        ConfirmedQuestion(question=LATE, actions=actions),
        ConfirmedQuestion(question="Which ships came?", actions=(("KIND", "Ship"),)),
    ]
    predictor = ScriptedPlans({}, SchemaElements.of(await store.schema()))
    planner = Planner(store, lambda elements: predictor, confirmed=confirmed)

    await planner.read(english("How many films are there?"))

    [known] = predictor.known
    assert known.question.text == LATE
    assert [value.text for value in known.values] == ["1989"]
    assert known.actions == read_actions("KIND:Film PROPERTY:Film.year GREATER VALUE:0", predictor.elements)
    assert "left out, because the graph lacks what they name: 1" in caplog.text
