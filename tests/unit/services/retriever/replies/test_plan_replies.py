import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.answers import AnswerType
from contracts.plans import PlanRequest
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.plan.checks import read_plan
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.importer import import_files
from language.question import Question
from language.values import QuestionValue
from services.answerer.plan_answers import plan_answer
from services.retriever.execution.plans import run_plan
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.search import PredictedActions
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.reply import withheld_warning
from services.retriever.replies.retrieval import Retrieval
from shared.cost_of_wrong import affordable_cost, least_confidence
from tests.fakes.planning import Script, ScriptedPlans
from tests.support.depots import depots
from tests.support.property_graphs import film_graph, write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph

BEST = "Which film has the highest rating?"
BEST_PLAN = "KIND:Film SORT PROPERTY:Film.rating DESCENDING LIMIT ONE RETURN VARIABLE:0 END"
HOW_MANY = "How many films are there?"
COUNT_PLAN = "KIND:Film GROUP COUNT_ROWS END"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


@pytest.fixture(scope="module")
def namesakes(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "people.sqlite"
    people = [Node(born, frozenset({"Person"}), {"name": "Ann Lee", "born": born}) for born in (1984, 1990)]
    write_graph_file(PropertyGraph(tuple(people), ()), file)
    return SqliteGraphStore(file, 5.0)


async def retrieve(
    store: GraphStore, question: str, script: Mapping[str, Script], min_confidence: float | None = None
) -> RetrieveResponse:
    replies = PlanReplies(store, Planner(store, lambda elements: ScriptedPlans(script, elements)), 0.3)
    return await Retrieval(replies).retrieve(RetrieveRequest(question=question, min_confidence=min_confidence))


async def test_a_count_is_a_number_with_evidence(store: GraphStore) -> None:
    response = await retrieve(store, HOW_MANY, {HOW_MANY: [(COUNT_PLAN, -0.1)]})

    assert response.answer_type == AnswerType.NUMBER
    assert [answer.value for answer in response.answers] == [20]
    assert "20" in response.plan_evidence[response.answers[0].evidence[0]].text


async def test_a_question_that_wants_yes_or_no_has_a_boolean_type(store: GraphStore) -> None:
    question = "Are there films?"

    response = await retrieve(store, question, {question: [(COUNT_PLAN, -0.1)]}, min_confidence=0.0)

    assert response.answer_type == AnswerType.BOOLEAN
    assert [answer.value for answer in response.answers] == [True]


class _WhetherPlans(ScriptedPlans):
    """Say that the scripted plans are those of confirmed questions that are answered by yes or no."""

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
        found = super().predict(question, values, width)
        return [replace(one, confirmed=0.8, asks_whether=True) for one in found]


async def test_a_count_says_yes_or_no_where_a_confirmed_question_that_is_read_alike_wanted_this(
    store: GraphStore,
) -> None:
    none = "KIND:Film PROPERTY:Film.year LESS VALUE:0 GROUP COUNT_ROWS END"
    script = {"any films?": [(COUNT_PLAN, -0.1)], "any films before 1800?": [(none, -0.1)]}
    replies = PlanReplies(store, Planner(store, lambda elements: _WhetherPlans(script, elements)), 0.3)

    for question, answer in zip(script, (True, False), strict=True):
        response = await Retrieval(replies).retrieve(RetrieveRequest(question=question))

        assert response.answer_type == AnswerType.BOOLEAN
        assert [one.value for one in response.answers] == [answer]


async def test_a_reply_says_which_words_were_misspelt(store: GraphStore) -> None:
    script = {"how many films are there": [(COUNT_PLAN, -0.1)]}
    known = frozenset(("how", "many", "are", "there"))
    planner = Planner(store, lambda elements: ScriptedPlans(script, elements), known_words=known)

    request = RetrieveRequest(question="how many filsm are there", min_confidence=0.0)
    response = await Retrieval(PlanReplies(store, planner, 0.3)).retrieve(request)

    assert [answer.value for answer in response.answers] == [20]
    assert ("respelled", "I read “filsm” as “films”.") in [(one.kind, one.text) for one in response.warnings]


async def test_an_average_says_neither_yes_nor_no(store: GraphStore) -> None:
    question = "Is the average rating any good?"
    plan = "KIND:Film GROUP AVERAGE PROPERTY:Film.rating END"

    response = await retrieve(store, question, {question: [(plan, -0.1)]}, min_confidence=0.0)

    assert response.answer_type == AnswerType.NUMBER
    assert response.answers[0].value not in (True, False)


async def test_several_columns_are_rows_in_which_nodes_are_names(store: GraphStore) -> None:
    response = await retrieve(store, BEST, {BEST: [(BEST_PLAN, -0.1)]})

    assert response.columns == ["film", "rating"]
    assert [name for name, _ in response.rows] == [answer.value for answer in response.answers]
    assert all(isinstance(rating, float) for _, rating in response.rows)
    assert response.plan is not None
    assert "Film" in response.plan.text


async def test_the_plan_of_the_reply_gives_the_answers(store: GraphStore) -> None:
    question = "Who acted in films?"
    script = {question: [("KIND:Person OUT:Person.ACTED_IN RETURN VARIABLE:0 END", -0.1)]}

    response = await retrieve(store, question, script, min_confidence=0.0)

    assert response.plan is not None
    again = await run_plan(store, PlanRequest(plan=read_plan({"steps": response.plan.steps})))
    assert [row[0]["name"] for row in again.rows] == [answer.value for answer in response.answers]


async def test_below_the_minimum_confidence_there_are_alternatives_but_no_answers(store: GraphStore) -> None:
    response = await retrieve(store, BEST, {BEST: [(BEST_PLAN, -0.1)]}, min_confidence=1.0)

    assert response.answers == []
    assert response.plan is None
    assert response.alternatives[0].answers


async def test_a_reading_that_only_the_request_withholds_is_said_to_be(store: GraphStore) -> None:
    script = {BEST: [(BEST_PLAN, -0.1)]}
    answered = await retrieve(store, BEST, script)
    assert 0.3 <= answered.confidence < 0.999  # the model itself answers

    withheld = await retrieve(store, BEST, script, min_confidence=0.999)

    assert (withheld.answers, withheld.confidence) == ([], answered.confidence)
    [warning] = [one for one in withheld.warnings if one.kind == "withheld"]
    assert f"{math.floor(1000 * answered.confidence) / 1000:g}" in warning.text and "0.999" in warning.text
    cost = affordable_cost(answered.confidence)
    assert f"a cost_of_wrong of {cost:g} or less" in warning.text
    assert (await retrieve(store, BEST, script, min_confidence=least_confidence(cost))).answers == answered.answers
    assert not [one for one in answered.warnings if one.kind == "withheld"]


async def test_a_reading_that_finds_nothing_is_not_said_to_be_withheld(store: GraphStore) -> None:
    question = "Which films have a rating above 99?"
    script = {question: [("KIND:Film PROPERTY:Film.rating GREATER VALUE:0 RETURN VARIABLE:0 END", -0.1)]}

    response = await retrieve(store, question, script, min_confidence=0.99)

    assert "withheld" not in [one.kind for one in response.warnings]


@pytest.mark.parametrize(("least", "is_answered"), [(0.5, True), (0.6, False)])
async def test_namesakes_that_nothing_tells_apart_are_no_answer_for_who_asks_for_more(
    namesakes: GraphStore, least: float, is_answered: bool
) -> None:
    question = "When was Ann Lee born?"
    born = "KIND:Person IS VALUE:0 RETURN PROPERTY:Person.born END"

    response = await retrieve(namesakes, question, {question: [(born, -0.001)]}, min_confidence=least)

    assert bool(response.answers) is is_answered
    assert response.confidence == 0.5
    assert [one.kind for one in response.warnings if one.kind != "unread"] == [
        *([] if is_answered else ["withheld"]),
        "ambiguous_name",
    ]
    assert is_answered or len(response.alternatives[0].answers) == 2


async def test_the_steps_of_an_alternative_give_its_answers(store: GraphStore) -> None:
    youngest = "KIND:Person SORT PROPERTY:Person.born DESCENDING LIMIT ONE RETURN VARIABLE:0 END"
    [reading] = (await retrieve(store, BEST, {BEST: [(youngest, -0.1)]}, min_confidence=1.0)).alternatives

    result = await run_plan(store, PlanRequest(plan=read_plan({"steps": reading.steps})))

    assert [row[0]["name"] for row in result.rows] == reading.answers


async def test_a_date_that_may_be_two_days_is_named(store: GraphStore) -> None:
    response = await retrieve(store, "Which films are from 12/05/2024 or 3/4/21?", {})

    assert [(one.kind, one.text) for one in response.warnings] == [
        ("uncertain_date", "12/05/2024 may be 2024-05-12 or 2024-12-05. Write days as in 2024-05-31."),
        ("uncertain_date", "3/4/21 does not say which day is meant. Write days as in 2024-05-31."),
    ]


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    """Provide orders that were placed on dates with the day first, and paid on dates with the month first."""
    folder = tmp_path_factory.mktemp("graph")
    rows = (
        ":ID,name,placed,paid,shipped:date,:LABEL",
        "1,A1,03/04/2021,04/05/2021,2021-04-03,Order",
        "2,A2,28/02/2021,03/04/2021,2021-03-04,Order",
        "3,A3,29/05/2021,05/30/2021,2021-05-31,Order",
    )
    (folder / "orders.csv").write_text("\n".join(rows), encoding="utf-8")
    import_files([folder / "orders.csv"], folder / "orders.sqlite")
    return SqliteGraphStore(folder / "orders.sqlite", 5.0)


async def test_a_date_is_named_if_the_plan_that_reads_it_does_not_answer(orders: GraphStore) -> None:
    question = "Which orders were placed on 03/04/2021?"
    script = {question: [("KIND:Order PROPERTY:Order.placed EQUAL VALUE:0 RETURN VARIABLE:0 END", -0.1)]}

    response = await retrieve(orders, question, script, min_confidence=1.0)

    assert response.answers == []
    assert "uncertain_date" in [one.kind for one in response.warnings]


async def test_a_date_that_its_property_does_not_tell_is_not_compared_with_it(orders: GraphStore) -> None:
    question = "How many orders were shipped after 03/04/2021?"
    script = {question: [("KIND:Order PROPERTY:Order.shipped GREATER VALUE:0 GROUP COUNT_ROWS END", -0.1)]}

    response = await retrieve(orders, question, script, min_confidence=0.0)

    assert response.answers == []
    assert "uncertain_date" in [one.kind for one in response.warnings]


@pytest.mark.parametrize(("key", "found"), [("placed", ["A1"]), ("paid", ["A2"]), ("shipped", [])])
async def test_a_date_is_read_as_those_of_its_property_are(orders: GraphStore, key: str, found: list[str]) -> None:
    question = f"Which orders were {key} on 03/04/2021?"
    script = {question: [(f"KIND:Order PROPERTY:Order.{key} EQUAL VALUE:0 RETURN VARIABLE:0 END", -0.1)]}

    response = await retrieve(orders, question, script, min_confidence=0.0)

    assert [answer.value for answer in response.answers] == found
    said = "03/04/2021 may be 2021-03-04 or 2021-04-03. Write days as in 2024-05-31."
    assert [one.text for one in response.warnings if one.kind == "uncertain_date"] == ([] if found else [said])


async def test_nothing_read_means_no_confidence(store: GraphStore) -> None:
    response = await retrieve(store, "???", {})

    assert response.confidence == 0.0
    assert response.answers == []


@pytest.fixture(scope="module")
def depot_store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "depots.sqlite"
    write_graph_file(depots(), file)
    return SqliteGraphStore(file, 5.0)


async def test_all_that_tie_for_the_first_place_are_given_with_evidence(depot_store: GraphStore) -> None:
    question = "Which depot is the newest?"
    newest = "KIND:Depot SORT PROPERTY:Depot.opened DESCENDING LIMIT ONE RETURN VARIABLE:0 END"

    response = await retrieve(depot_store, question, {question: [(newest, -0.1)]}, min_confidence=0.0)

    assert response.rows == [["South", 2019], ["East", 2019]]
    assert [answer.value for answer in response.answers] == ["South", "East"]
    assert [(one.kind, one.text[:9]) for one in response.warnings if one.kind != "unread"] == [("tied", "2 results")]
    assert all("2019" in response.plan_evidence[answer.evidence[0]].text for answer in response.answers)
    assert response.plan is not None
    assert response.plan.steps[2]["limit"] == 1


async def test_listed_values_keep_their_owners(depot_store: GraphStore) -> None:
    question = "List all drivers with their day rate."
    rates = "KIND:Driver RETURN PROPERTY:Driver.day_rate END"

    response = await retrieve(depot_store, question, {question: [(rates, -0.1)]}, min_confidence=0.0)

    assert [answer.value for answer in response.answers] == [150, 180, 200]
    assert response.columns == ["day_rate", "driver"]
    assert sorted(response.rows) == [[150, "Cid"], [150, "Eve"], [180, "Dan"], [200, "Ann"], [200, "Bob"]]
    assert plan_answer(response) == "The graph lists 3 day rates: 150 (Cid and Eve), 180 (Dan) and 200 (Ann and Bob)."


_WHO = "When was Ann Lee born?"
_BORN = {_WHO: [("KIND:Person PROPERTY:Person.name EQUAL VALUE:0 RETURN PROPERTY:Person.born END", -0.01)]}


async def test_a_reply_asks_back_which_of_several_namesakes_is_meant(namesakes: GraphStore) -> None:
    response = await retrieve(namesakes, _WHO, _BORN, min_confidence=0.0)

    assert sorted(answer.value for answer in response.answers) == [1984, 1990]
    assert response.confidence == pytest.approx(0.5)
    assert response.clarification is not None
    assert [choice.text for choice in response.clarification.choices] == ["Ann Lee (born 1984)", "Ann Lee (born 1990)"]


async def test_a_question_is_about_the_namesake_that_is_meant(namesakes: GraphStore) -> None:
    asked = (await retrieve(namesakes, _WHO, _BORN, min_confidence=0.0)).clarification
    assert asked is not None
    replies = PlanReplies(namesakes, Planner(namesakes, lambda elements: ScriptedPlans(_BORN, elements)), 0.3)

    for choice, born in zip(asked.choices, (1984, 1990), strict=True):
        request = RetrieveRequest(question=_WHO, means=choice.means, min_confidence=0.0)
        response = await Retrieval(replies, store=namesakes).retrieve(request)

        assert [answer.value for answer in response.answers] == [born]
        assert (response.clarification, response.warnings) == (None, [])
        assert response.confidence > 0.5
        assert response.plan is not None
        again = await run_plan(namesakes, PlanRequest(plan=read_plan({"steps": response.plan.steps})))
        assert again.rows == [[born]]


@pytest.mark.parametrize(
    ("name", "said"),
    [("Nadia Wern", "The graph has no entity named Nadia Wern."), ("Ann Lea", None), ("Ann Lee", None)],
)
async def test_a_name_that_the_graph_lacks_is_said(namesakes: GraphStore, name: str, said: str | None) -> None:
    question = f"When was {name} born?"

    response = await retrieve(namesakes, question, {question: _BORN[_WHO]}, min_confidence=0.95)

    assert [one.text for one in response.warnings if one.kind == "unknown_name"] == ([said] if said else [])


def test_a_confidence_that_is_too_low_does_not_look_like_one_that_is_not() -> None:
    [warning] = withheld_warning(0.90899, 0.5, least_confidence(10.0))

    assert "has a confidence of 0.908, and an answer takes 0.909 here" in warning.text
