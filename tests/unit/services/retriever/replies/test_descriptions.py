"""Questions about an entity as a whole get its description."""

from datetime import date
from pathlib import Path

import pytest

from contracts.answers import AnswerType
from contracts.retrieve import RetrieveResponse
from graph.plan.durations import DurationText
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from services.retriever.plans.planner import Planner
from services.retriever.replies.asked import Asked
from services.retriever.replies.descriptions import CONFIDENCE, Descriptions
from services.retriever.replies.messages import as_message
from services.retriever.replies.plan_replies import PlanReplies
from shared.cost_of_wrong import least_confidence
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship


def _graph() -> PropertyGraph:
    stage = {"name": "Cliff Stage", "capacity": 12000, "setup": DurationText("PT1H30M"), "opened": date(2019, 5, 1)}
    nodes = (
        Node(1, frozenset({"Stage"}), stage),
        Node(2, frozenset({"Person"}), {"name": "Ann Lee", "born": 1984}),
        Node(3, frozenset({"Person"}), {"name": "Ann Lee", "born": 1990}),
        Node(4, frozenset({"Role"}), {"name": "President"}),
        Node(5, frozenset({"Concert"}), {"name": "Harbour Lights"}),
    )
    return PropertyGraph(nodes, (Relationship(1, "on_stage", 5, 1, {}), Relationship(2, "performed_by", 5, 2, {})))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "stages.sqlite"
    write_graph_file(_graph(), file)
    return SqliteGraphStore(file, 60.0)


async def _describe(store: GraphStore, question: str, min_confidence: float | None = None) -> RetrieveResponse | None:
    planner = Planner(store, lambda elements: ScriptedPlans({}, elements))
    descriptions = Descriptions(store, PlanReplies(store, planner, 0.3))
    reply = await descriptions.reply(Asked(question=english(question), min_confidence=min_confidence))
    return as_message(reply) if reply else None


@pytest.mark.parametrize(
    "question",
    [
        "What is Cliff Stage?", "What's the Cliff Stage", "Tell me about the cliff stage.", "Describe “Cliff Stage”!",
        "What do you know about Cliff Stage?", "what can you tell me about cliff stage", "Cliff Stage",
        "info on Cliff Stage", "Please show me more about Cliff Stage", "the cliff stage?",
    ],
)  # fmt: skip
async def test_an_entity_is_described_by_its_facts(store: GraphStore, question: str) -> None:
    found = await _describe(store, question)

    assert found is not None
    assert [one.value for one in found.answers] == ["Cliff Stage"]
    assert (found.confidence, found.answer_type) == (CONFIDENCE, AnswerType.ENTITIES)
    [evidence] = found.plan_evidence
    assert evidence.text == (
        "Cliff Stage is a stage. The capacity of Cliff Stage is 12,000, and the setup is 1 hour 30 minutes. "
        "Cliff Stage opened on 2019-05-01. Harbour Lights is on the Cliff Stage."
    )
    assert evidence.summary == evidence.text
    assert ("Cliff Stage", "setup", "PT1H30M") in [(one.subject, one.relation, one.object) for one in evidence.triples]


async def test_namesakes_are_described_one_by_one(store: GraphStore) -> None:
    found = await _describe(store, "Who is Ann Lee?")

    assert found is not None
    assert [one.evidence for one in found.answers] == [[0], [1]]
    assert sorted("1984" in one.text for one in found.plan_evidence) == [False, True]
    assert all(one.text.startswith("Ann Lee is a person.") for one in found.plan_evidence)
    assert found.confidence == 0.5


async def test_too_many_namesakes_for_a_request_are_named_but_not_described(store: GraphStore) -> None:
    found = await _describe(store, "Who is Ann Lee?", min_confidence=0.9)

    assert found is not None
    assert (found.answers, found.confidence) == ([], 0.5)
    assert [one.answers for one in found.alternatives] == [["Ann Lee", "Ann Lee"]]
    assert [one.kind for one in found.warnings] == ["withheld"]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the president?", "What is the capacity of Cliff Stage?", "Who is Ann Lee's manager?", "Atlantis", "?",
        "Is Cliff Stage a stage?", "Tell me about Cliff Stage and Ann Lee", "Who is on the Cliff Stage?",
    ],
)  # fmt: skip
async def test_other_questions_are_left_to_paths_and_plans(store: GraphStore, question: str) -> None:
    assert await _describe(store, question) is None


@pytest.mark.parametrize("question", ["Who is Ann Leee?", "Tell me about Harbor Lights"])
async def test_a_misspelt_name_lowers_the_confidence(store: GraphStore, question: str) -> None:
    found = await _describe(store, question)
    assert found is not None
    assert {str(one.value) for one in found.answers} <= {"Ann Lee", "Harbour Lights"}
    assert found.confidence <= 0.6
    sure = await _describe(store, question, min_confidence=0.9)
    assert sure is not None and sure.answers == []
    assert sure.alternatives[0].answers == [str(one.value) for one in found.answers]


async def test_a_name_that_is_spelt_right_is_worth_ten_right_answers(store: GraphStore) -> None:
    found = await _describe(store, "What is Cliff Stage?", min_confidence=least_confidence(10))

    assert found is not None and found.answers


async def test_white_space_and_marks_are_ignored(store: GraphStore) -> None:
    assert await _describe(store, "Who  is \n Ann Lee" + " ?" * 400) is not None
    assert await _describe(store, "Who is a" + " " * 900 + "?") is None


async def test_an_entity_may_have_a_role_as_its_name(store: GraphStore) -> None:
    assert await _describe(store, "Who is the President?") is not None
