"""Requests enter in one place, which parses the question and knows the day."""

from datetime import date

from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest
from services.retriever.replies.retrieval import Retrieval
from tests.fakes.strategies import FakeStrategy, by_path


async def test_a_strategy_sees_the_question_of_a_request_with_its_options_and_the_day() -> None:
    strategy = FakeStrategy(by_path())
    options = {"topic_entity": "France", "beam": 2, "max_paths": 7, "min_confidence": 0.2, "explain": True}

    response = await Retrieval(strategy, lambda: date(2024, 2, 29)).retrieve(
        RetrieveRequest.model_validate({"question": "capital of France", "strategy": "dense", **options})
    )

    [asked] = strategy.asked
    assert (asked.question.text, asked.question.asked_on) == ("capital of France", date(2024, 2, 29))
    assert {name: getattr(asked, name) for name in options} == options
    assert asked.strategy is Strategy.DENSE
    assert response.answers[0].value == "Paris"
