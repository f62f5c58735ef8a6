"""The selector obeys the request, and `auto` goes on to the next strategy."""

from dataclasses import replace
from typing import Any

import pytest

from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from services.retriever.replies.reply import PathReply
from services.retriever.replies.retrieval import Retrieval
from services.retriever.strategies.selection import StrategySelector
from shared.errors import DependencyError, InvalidInputError, KGQAError, PlanLimitError, UnknownEntityError
from tests.fakes.graph import InMemoryGraph
from tests.fakes.strategies import FakeStrategy, abstention, by_path, reading

_GRAPH = InMemoryGraph([("1", "knows", "2")])
Outcome = PathReply | KGQAError
_DOWN = DependencyError("the model at http://10.0.0.1 is down")


async def select(strategy: Strategy, question: str = "?a", **outcomes: Outcome) -> RetrieveResponse:
    strategies = {Strategy(name): FakeStrategy(outcome) for name, outcome in outcomes.items()}
    return await Retrieval(StrategySelector(strategies)).retrieve(RetrieveRequest(question=question, strategy=strategy))


async def test_a_named_strategy_answers() -> None:
    response = await select(Strategy.NEIGHBOURHOOD, plan=abstention(), neighbourhood=by_path())

    assert response.strategy is Strategy.NEIGHBOURHOOD
    assert response.strategy_reason == "the request names it"


@pytest.mark.parametrize(
    ("strategy", "is_default", "asked"),
    [
        (Strategy.PLAN, True, 0.9), (Strategy.NEIGHBOURHOOD, True, None), (Strategy.DENSE, True, None),
        (Strategy.CYPHER, True, None), (Strategy.CYPHER, False, 0.9),
    ],
)  # fmt: skip
async def test_a_default_confidence_is_not_asked_of_a_strategy_without_a_calibrated_one(
    strategy: Strategy, is_default: bool, asked: float | None
) -> None:
    named = FakeStrategy(abstention())
    request = RetrieveRequest(question="?a", strategy=strategy, min_confidence=0.9, is_default_confidence=is_default)

    await Retrieval(StrategySelector({strategy: named})).retrieve(request)

    assert [one.min_confidence for one in named.asked] == [asked]


async def test_auto_asks_all_strategies_for_the_default_confidence() -> None:
    strategies = {one: FakeStrategy(abstention()) for one in (Strategy.PLAN, Strategy.NEIGHBOURHOOD, Strategy.CYPHER)}
    request = RetrieveRequest(question="?a", strategy=Strategy.AUTO, min_confidence=0.9, is_default_confidence=True)

    await Retrieval(StrategySelector(strategies)).retrieve(request)

    assert [one.min_confidence for strategy in strategies.values() for one in strategy.asked] == [0.9, 0.9, 0.9]


@pytest.mark.parametrize(
    ("strategy", "about", "said"),
    [
        (Strategy.CYPHER, {"means": {"Ann": "1"}}, "cannot keep to means"),
        (Strategy.CYPHER, {"among": ("1",)}, "cannot keep to among"),
        (Strategy.NEIGHBOURHOOD, {"among": ("1",)}, "cannot keep to among"),
    ],
)
async def test_a_strategy_that_cannot_keep_to_some_nodes_is_refused(
    strategy: Strategy, about: dict[str, Any], said: str
) -> None:
    strategies = {one: FakeStrategy(by_path()) for one in (Strategy.PLAN, strategy)}
    retrieval = Retrieval(StrategySelector(strategies), store=_GRAPH)

    with pytest.raises(InvalidInputError, match=said):
        await retrieval.retrieve(RetrieveRequest(question="Who is Ann?", strategy=strategy, **about))


async def test_auto_leaves_out_strategies_that_cannot_keep_to_some_nodes() -> None:
    strategies = {one: FakeStrategy(abstention()) for one in (Strategy.PLAN, Strategy.NEIGHBOURHOOD, Strategy.CYPHER)}
    retrieval = Retrieval(StrategySelector(strategies), store=_GRAPH)

    await retrieval.retrieve(RetrieveRequest(question="Who is Ann?", strategy=Strategy.AUTO, means={"Ann": "1"}))
    await retrieval.retrieve(RetrieveRequest(question="Who is Ann?", strategy=Strategy.AUTO, among=("1",)))

    assert [len(one.asked) for one in strategies.values()] == [2, 1, 0]


async def test_the_default_is_not_said_to_be_named() -> None:
    strategies = {Strategy.PLAN: FakeStrategy(by_path())}
    response = await Retrieval(StrategySelector(strategies)).retrieve(RetrieveRequest(question="?a"))

    assert response.strategy_reason == "it is the default, and the request names no other"


async def test_a_named_strategy_that_abstains_does_not_give_way() -> None:
    response = await select(Strategy.PLAN, plan=abstention(), neighbourhood=by_path())

    assert (response.strategy, response.answers) == (Strategy.PLAN, [])


async def test_an_unavailable_strategy_is_an_error_that_lists_the_others() -> None:
    with pytest.raises(InvalidInputError, match=r"'dense' is not available.*auto, plan, cypher"):
        await select(Strategy.DENSE, cypher=abstention(), plan=abstention())


async def test_an_unavailable_strategy_says_what_to_do() -> None:
    selector = StrategySelector({Strategy.PLAN: FakeStrategy(abstention())}, {Strategy.DENSE: "build an index"})

    with pytest.raises(InvalidInputError, match="'dense' is not available for this graph: build an index; use one of"):
        await Retrieval(selector).retrieve(RetrieveRequest(question="?a", strategy=Strategy.DENSE))


async def test_auto_stops_at_the_first_answer() -> None:
    cypher = FakeStrategy(by_path())
    strategies = {Strategy.CYPHER: cypher, Strategy.PLAN: FakeStrategy(by_path())}

    response = await Retrieval(StrategySelector(strategies)).retrieve(
        RetrieveRequest(question="?a", strategy=Strategy.AUTO)
    )

    assert response.strategy is Strategy.PLAN
    assert response.strategy_reason == "plan answers with confidence 0.90"
    assert cypher.asked == []


async def test_auto_goes_on_after_abstention_and_failure_and_says_so() -> None:
    response = await select(Strategy.AUTO, plan=abstention(), neighbourhood=_DOWN, cypher=by_path())

    assert response.strategy is Strategy.CYPHER
    assert response.strategy_reason == ("plan abstained; neighbourhood failed; cypher answers with confidence 0.90")
    [warning] = response.warnings
    assert warning.kind == "strategy_failed"
    assert "neighbourhood" in warning.text and "10.0.0.1" not in warning.text


async def test_auto_says_which_strategy_is_missing_and_what_to_do_only_when_its_turn_comes() -> None:
    missing = {Strategy.DENSE: "build an index", Strategy.CYPHER: "is a model set?"}
    answers, abstains = (FakeStrategy(one) for one in (by_path(), abstention()))
    request = RetrieveRequest(question="?a", strategy=Strategy.AUTO)

    answered = await Retrieval(StrategySelector({Strategy.PLAN: answers}, missing)).retrieve(request)
    response = await Retrieval(StrategySelector({Strategy.PLAN: abstains}, missing)).retrieve(request)

    assert (answered.warnings, answered.strategy_reason) == ([], "plan answers with confidence 0.90")
    assert response.strategy_reason == "plan abstained; dense is not available; cypher is not available"
    assert [(warning.kind, warning.text) for warning in response.warnings] == [
        ("strategy_unavailable", "dense is not available: build an index."),
        ("strategy_unavailable", "cypher is not available: is a model set?"),
    ]


async def test_auto_abstains_with_the_readings_of_the_first_strategy() -> None:
    response = await select(Strategy.AUTO, plan=abstention(), cypher=PlanLimitError("too many rows"))

    assert (response.strategy, response.answers) == (Strategy.PLAN, [])
    assert response.strategy_reason == "plan abstained; cypher failed"


async def test_auto_takes_an_uncalibrated_answer_only_if_it_agrees_with_a_withheld_reading() -> None:
    withheld = abstention(reading("Paris"))

    agreeing = await select(Strategy.AUTO, plan=withheld, neighbourhood=by_path())
    alone = await select(Strategy.AUTO, plan=abstention(), neighbourhood=by_path())

    assert agreeing.strategy is Strategy.NEIGHBOURHOOD
    assert (alone.strategy, alone.answers) == (Strategy.PLAN, [])
    assert alone.strategy_reason.endswith("neighbourhood has answers that no other strategy supports")


@pytest.mark.parametrize(
    ("question", "unread", "is_doubted"),
    [
        ("which words describe France", ["words", "describe"], False),
        ("which NATO members border France", ["NATO"], True),
        ("how many capitals has France", [], True),
    ],
)
async def test_an_agreeing_answer_is_doubted_if_a_name_or_an_operator_may_be_overlooked(
    question: str, unread: list[str], is_doubted: bool
) -> None:
    withheld = abstention(reading("Paris"), unread=tuple(unread))

    response = await select(Strategy.AUTO, question, plan=withheld, neighbourhood=by_path())

    assert response.answers
    assert (response.confidence < 0.5) is is_doubted


async def test_auto_takes_no_query_that_does_not_use_a_name_of_the_question() -> None:
    written = replace(by_path(), unread=("Foxglove",))

    response = await select(Strategy.AUTO, plan=abstention(), cypher=written)
    named = await select(Strategy.CYPHER, cypher=written)

    assert (response.strategy, response.answers) == (Strategy.PLAN, [])
    assert response.strategy_reason == "plan abstained; cypher has a query that does not use “Foxglove”"
    assert named.answers


async def test_auto_fails_only_if_all_strategies_fail() -> None:
    with pytest.raises(DependencyError):
        await select(Strategy.AUTO, plan=_DOWN, cypher=_DOWN)


async def test_an_unknown_topic_entity_is_an_error_of_the_request() -> None:
    with pytest.raises(UnknownEntityError):
        await select(Strategy.AUTO, plan=UnknownEntityError("no such entity"), cypher=by_path())
