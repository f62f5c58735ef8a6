"""The reason for a reply without an answer, as a reader of a chat sees it."""

from typing import Any

from contracts.answers import ReplyWarning
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import RewriteRequest, RewriteResponse
from services.answerer.chat.answering import ChatAnswerer
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.chat.requests import ChatCompletionRequest
from services.answerer.pipeline import Asker
from tests.fakes.llm import FailingModel
from tests.fakes.services import nothing_found


class Finds:
    """Implement `Retrieval` with one reply."""

    def __init__(self, **changes: Any) -> None:
        self._found = nothing_found().model_copy(update=changes)

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        return self._found


class NoRewriting:
    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        raise AssertionError("there is nothing to rewrite")


async def said(**changes: Any) -> str:
    chat = ChatAnswerer(Asker(Finds(**changes), NoRewriting(), FailingModel()), EvidenceStore())
    messages = [{"role": "user", "content": "Who rules France?"}]
    request = ChatCompletionRequest.model_validate({"model": "kgqa", "messages": messages})
    return (await chat.answer(await chat.read(request), lambda id_: id_, "id")).text


async def test_the_reason_names_what_the_graph_knows_and_another_reading() -> None:
    assert await said() == (
        "I don't know.\n\n"
        "The graph knows France, but I found no answer to this question about it.\n\n"
        "Perhaps you mean: Spain (France -borders-> answer)?"
    )


async def test_a_question_without_a_known_name() -> None:
    assert await said(topic_entities=[], alternatives=[]) == (
        "I don't know.\n\nI found nothing in the graph that this question names."
    )


async def test_a_warning_that_gives_the_reason_is_not_repeated() -> None:
    late = ReplyWarning(kind="late", text="Reading the question took too long.")
    assert await said(warnings=[late], alternatives=[]) == "I don't know.\n\nReading the question took too long."


async def test_a_warning_about_something_else_leaves_the_reason() -> None:
    namesake = ReplyWarning(kind="ambiguous_name", text="Two entities are called France.")
    assert (await said(warnings=[namesake], alternatives=[])).endswith(
        "Two entities are called France.\n\nThe graph knows France, but I found no answer to this question about it."
    )


async def test_a_withheld_reading_is_shown_with_how_sure_it_is() -> None:
    withheld = ReplyWarning(kind="withheld", text="With a cost_of_wrong of 2.5 or less, it is the answer.")
    assert await said(warnings=[withheld], confidence=0.72) == (
        "I don't know.\n\nI am only 72 % sure of an answer.\n\nPerhaps you mean: Spain (France -borders-> answer)?"
    )
