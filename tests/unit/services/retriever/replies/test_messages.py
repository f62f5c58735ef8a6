"""Replies of both kinds become the same message."""

from contracts.answers import AnswerType, Evidence
from contracts.retrieve import Hops, RetrieveResponse
from services.retriever.replies.messages import as_message
from services.retriever.replies.reply import FoundAnswer, PlanReply
from tests.fakes.strategies import by_path


def test_a_reply_by_paths_has_hops_and_their_evidence() -> None:
    message = as_message(by_path())

    assert message.hops == Hops(predicted=1, probabilities=[0.0, 1.0])
    assert [path.relations for path in message.relation_paths] == [["capital"]]
    assert (len(message.evidence), message.plan_evidence) == (1, [])


def test_a_reply_by_a_plan_does_not_say_that_the_graph_cannot_answer() -> None:
    reply = PlanReply(
        answers=(FoundAnswer(value=3, score=0.8, evidence=(0,)),),
        answer_type=AnswerType.NUMBER,
        confidence=0.8,
        evidence=(Evidence(triples=[], text="3 films were counted."),),
        rows=((1, "a"),),
        columns=("n", "name"),
        graph_version="1",
    )

    message = as_message(reply)

    assert message.hops is None
    assert (message.relation_paths, message.evidence, message.other_answers) == ([], [], [])
    assert message.plan_evidence[0].text == "3 films were counted."
    assert (message.columns, message.rows) == (["n", "name"], [[1, "a"]])
    assert RetrieveResponse.model_validate_json(message.model_dump_json()) == message
