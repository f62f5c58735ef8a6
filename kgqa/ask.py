"""Ask a running answerer: `kgqa ask`."""

import asyncio
import json
import os
from typing import Annotated

import typer
from pydantic import ValidationError

from contracts.answers import Answer
from contracts.ask import AskRequest, AskResponse
from contracts.base import Strategy
from contracts.retrieve import Alternative
from contracts.rewrite import KnowledgeFormat
from graph.plan.value_text import value_text
from kgqa.advice import reach_advice
from kgqa.console import API_KEY_VARIABLE, bold, out, print_json
from kgqa.conversation import Conversation, converse, typed_questions
from kgqa.options import AnswererUrl, CostOfWrong, EvidenceFormat
from kgqa.running import answerer_url
from shared.errors import InvalidInputError, UnreachableError
from shared.outbound.http import ServiceClient

NO_ANSWER = 3

# Longer than the total time that the answerer waits for the other services and the QA model.
_TIMEOUT_S = 300.0
_MAX_ANSWERS_SHOWN, _MAX_EVIDENCE_SHOWN = 20, 5


def ask(
    question: Annotated[
        str | None, typer.Argument(help="A question in plain language. [default: a conversation]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole response as JSON.")] = False,
    topic: Annotated[str | None, typer.Option(help="The entity that the question is about, if known.")] = None,
    knowledge: EvidenceFormat = KnowledgeFormat.TEXT,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show the query plan, the query, and other readings.")
    ] = False,
    strategy: Annotated[Strategy, typer.Option(help="How to look for answers.")] = Strategy.PLAN,
    graph: Annotated[str | None, typer.Option(help="The graph to ask, if there are several.")] = None,
    cost_of_wrong: CostOfWrong = None,
    url: AnswererUrl = None,
) -> None:
    """Ask the running services a question. The exit code is 3 if the graph has no answer.

    Without a question, keep a conversation, in which a question may refer to earlier ones. It reads questions line by
    line.
    """
    url = answerer_url(url, graph)
    if question is None:
        if as_json or topic or explain or (knowledge, strategy) != (KnowledgeFormat.TEXT, Strategy.PLAN):
            raise typer.BadParameter(
                "a conversation has no --json, --topic, --format, --explain, or --strategy; add a question"
            )
        key = os.environ.get(API_KEY_VARIABLE)
        converse(Conversation(url, _TIMEOUT_S, key, graph, cost_of_wrong), typed_questions)
        return
    response = asyncio.run(ask_service(url, question, topic, knowledge, explain, strategy, graph, cost_of_wrong))
    if as_json:
        print_json(response.model_dump_json(indent=2))
    else:
        show_answer(response, tried_several=strategy is Strategy.AUTO)
        if explain:
            show_explanation(response)
    if response.abstained:
        raise typer.Exit(NO_ANSWER)


async def ask_service(
    url: str,
    question: str,
    topic: str | None,
    knowledge: KnowledgeFormat,
    explain: bool = False,
    strategy: Strategy = Strategy.PLAN,
    graph: str | None = None,
    cost_of_wrong: float | None = None,
) -> AskResponse:
    """Send a question to the answerer.

    Raises InvalidInputError if the question is invalid, and UnreachableError if the answerer cannot be reached.
    """
    try:
        request = AskRequest(
            question=question,
            topic_entity=topic,
            format=knowledge,
            cost_of_wrong=cost_of_wrong,
            explain=explain,
            strategy=strategy,
            graph=graph,
        )
    except ValidationError as error:
        first = error.errors()[0]
        field, reason = str(first["loc"][0]).replace("_", " "), first["msg"].removeprefix("String ")
        raise InvalidInputError(f"the {field} {reason}") from error
    client = ServiceClient("answerer", url, _TIMEOUT_S, os.environ.get(API_KEY_VARIABLE))
    try:
        return await client.call("/ask", request, AskResponse)
    except UnreachableError as error:
        raise UnreachableError(f"{error.detail} {reach_advice(url, graph)}") from error
    finally:
        await client.close()


def show_answer(response: AskResponse, tried_several: bool = False) -> None:
    """Print the answer, the grounded answer set, and the evidence; if strategies were tried, say which and why."""
    out.print(bold(response.answer))
    if response.abstained:
        for reading in response.alternatives:
            _show("perhaps", _reading(reading))
        _show_circumstances(response, tried_several)
        return
    names = [_named(answer) for answer in response.answers]
    more = f" … and {len(names) - _MAX_ANSWERS_SHOWN} more" if len(names) > _MAX_ANSWERS_SHOWN else ""
    _show("answers", f"{', '.join(names[:_MAX_ANSWERS_SHOWN])}{more}")
    _show("confidence", f"{response.confidence:.2f}")
    if response.trusted:
        _show("trusted", response.trusted)
    if response.plan:
        _show("plan", response.plan.text)
    for item in response.evidence[:_MAX_EVIDENCE_SHOWN]:
        _show("evidence", item.text)
    if (rest := len(response.evidence) - _MAX_EVIDENCE_SHOWN + response.omitted_evidence) > 0:
        _show("", f"… and {rest} more")
    _show_circumstances(response, tried_several)
    _show("time", f"{response.timings_ms.total:.0f} ms")


def _show_circumstances(response: AskResponse, tried_several: bool) -> None:
    if tried_several or response.strategy is not Strategy.PLAN:
        _show("strategy", f"{response.strategy}: {response.strategy_reason}")
    for warning in response.warnings:
        _show("warning", warning.text)
    for without in response.degraded:
        _show("degraded", without)


def show_explanation(response: AskResponse) -> None:
    """Print the query with its parameters, and the other readings of the question."""
    if response.plan and response.plan.query:
        for number, line in enumerate(response.plan.query.text.splitlines()):
            _show("" if number else "query", line)
        _show("parameters", json.dumps(response.plan.query.parameters, ensure_ascii=False))
    for reading in [] if response.abstained else response.alternatives:
        _show("otherwise", _reading(reading))


def _show(label: str, text: str) -> None:
    out.print(f"{label:<11} {text}")


def _named(answer: Answer) -> str:
    return f"{value_text(answer.value)} ({answer.detail})" if answer.detail else value_text(answer.value)


def _reading(reading: Alternative) -> str:
    more = f", and {reading.more} more" if reading.more else ""
    return f"{reading.plan} ({reading.score:.2f}): {', '.join(reading.answers)}{more}"
