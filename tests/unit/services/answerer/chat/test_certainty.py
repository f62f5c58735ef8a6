"""A chat reply says how sure it is."""

import pytest

from contracts.ask import AskRequest, AskResponse
from services.answerer.chat.certainty import how_sure, percent
from services.answerer.pipeline import Asker
from tests.fakes.services import FakeRetrieval, FakeRewriting, capital_of_france, nothing_found


async def answered(confidence: float) -> AskResponse:
    found = capital_of_france().model_copy(update={"confidence": confidence})
    return await Asker(FakeRetrieval(found), FakeRewriting(), None).ask(AskRequest(question="?a"), "id")


async def test_one_answer_says_how_sure_it_is() -> None:
    assert how_sure([await answered(0.725)]) == ["I am 72 % sure."]


async def test_of_several_answers_the_least_sure_one_counts() -> None:
    assert how_sure([await answered(0.99), await answered(0.95)]) == ["I am at least 95 % sure of each answer."]


async def test_silence_is_sure_of_nothing() -> None:
    silence = await Asker(FakeRetrieval(nothing_found()), FakeRewriting(), None).ask(AskRequest(question="?a"), "id")
    assert how_sure([silence]) == []
    assert how_sure([silence, await answered(0.95)]) == ["I am 95 % sure."]


@pytest.mark.parametrize(
    ("confidence", "text"), [(0.0, "0 %"), (0.29, "29 %"), (0.57, "57 %"), (0.9999, "99 %"), (1.0, "100 %")]
)
def test_only_what_is_certain_is_100_percent_sure(confidence: float, text: str) -> None:
    assert percent(confidence) == text
