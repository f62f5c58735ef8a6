"""Ask a running answerer one question: `kgqa ask`."""

import asyncio
import sys
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape

from kgqa.console import DEFAULT_URL, out
from kgqa.options import EvidenceFormat
from shared.contracts import AskRequest, AskResponse, KnowledgeFormat, answer_set
from shared.errors import InvalidInputError, UnreachableError
from shared.outbound.http import ServiceClient

NO_ANSWER = 3

# Longer than the total time that the answerer waits for the other services and the QA model.
_TIMEOUT_S = 300.0
_MAX_ANSWERS_SHOWN = 20


def ask(
    question: Annotated[str, typer.Argument(help="A question in plain language.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole response as JSON.")] = False,
    topic: Annotated[str | None, typer.Option(help="The entity that the question is about, if known.")] = None,
    knowledge: EvidenceFormat = KnowledgeFormat.TEXT,
    url: Annotated[str, typer.Option(envvar="KGQA_URL", help="URL of the answerer.")] = DEFAULT_URL,
) -> None:
    """Ask the running services a question. The exit code is 3 if the graph has no answer."""
    response = asyncio.run(ask_service(url, question, topic, knowledge))
    if as_json:
        sys.stdout.write(response.model_dump_json(indent=2) + "\n")
    else:
        show_answer(response)
    if response.abstained:
        raise typer.Exit(NO_ANSWER)


async def ask_service(url: str, question: str, topic: str | None, knowledge: KnowledgeFormat) -> AskResponse:
    """Send a question to the answerer.

    Raises InvalidInputError if the question is invalid, and UnreachableError if the answerer cannot be reached.
    """
    try:
        request = AskRequest(question=question, topic_entity=topic, format=knowledge)
    except ValidationError as error:
        first = error.errors()[0]
        field, reason = str(first["loc"][0]).replace("_", " "), first["msg"].removeprefix("String ")
        raise InvalidInputError(f"the {field} {reason}") from error
    client = ServiceClient("answerer", url, _TIMEOUT_S)
    try:
        return await client.call("/ask", request, AskResponse)
    except UnreachableError as error:
        raise UnreachableError(f"{error.detail} Start it with: kgqa up") from error
    finally:
        await client.close()


def show_answer(response: AskResponse) -> None:
    """Print the answer, the grounded answer set, and the evidence."""
    out.print(f"[bold]{escape(response.answer)}[/bold]")
    if response.abstained:
        for reading in response.next_best:
            path = " → ".join(reading.relations)
            out.print(f"perhaps     {escape(reading.topic_entity)} → {escape(path)} ({reading.score:.2f})")
        return
    best = answer_set(response.answers)
    more = f" … and {len(best) - _MAX_ANSWERS_SHOWN} more" if len(best) > _MAX_ANSWERS_SHOWN else ""
    out.print(f"answers     {escape(', '.join(best[:_MAX_ANSWERS_SHOWN]))}{more}")
    out.print(f"confidence  {response.confidence:.2f}")
    path = " → ".join(response.relation_paths[0].relations)
    out.print(f"path        {escape(response.topic_entities[0].entity)} → {escape(path)}")
    for text in [item.text for item in response.evidence if item.text]:
        out.print(f"evidence    {escape(text)}")
    for without in response.degraded:
        out.print(f"degraded    {escape(without)}")
    out.print(f"time        {response.timings_ms.total:.0f} ms")
