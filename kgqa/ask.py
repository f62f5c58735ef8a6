"""`kgqa ask`: one question to a running answerer."""

from pydantic import ValidationError
from rich.markup import escape

from kgqa.console import out
from shared.contracts import AskRequest, AskResponse, KnowledgeFormat, answer_set
from shared.errors import InvalidInputError, UnreachableError
from shared.outbound.http import ServiceClient

# More than the answerer itself allows the other services and the QA model together.
_TIMEOUT_S = 300.0
_SHOWN_ANSWERS = 20


async def ask_service(url: str, question: str, topic: str | None, knowledge: KnowledgeFormat) -> AskResponse:
    """Ask the answerer at `url`; raises what it raised, or UnreachableError with how to start it."""
    try:
        request = AskRequest(question=question, topic_entity=topic, format=knowledge)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInputError(f"{first['loc'][0]}: {first['msg']}") from error
    client = ServiceClient("answerer", url, _TIMEOUT_S)
    try:
        return await client.call("/ask", request, AskResponse)
    except UnreachableError as error:
        raise UnreachableError(f"{error.detail} Start it with: kgqa up") from error
    finally:
        await client.close()


def show_answer(response: AskResponse) -> None:
    """The answer, the grounded answer set, and the evidence, for a terminal."""
    out.print(f"[bold]{escape(response.answer)}[/bold]")
    if response.abstained:
        for reading in response.next_best:
            path = " → ".join(reading.relations)
            out.print(f"perhaps     {escape(reading.topic_entity)} → {escape(path)} ({reading.score:.2f})")
        return
    best = answer_set(response.answers)
    more = f" … and {len(best) - _SHOWN_ANSWERS} more" if len(best) > _SHOWN_ANSWERS else ""
    out.print(f"answers     {escape(', '.join(best[:_SHOWN_ANSWERS]))}{more}")
    out.print(f"confidence  {response.confidence:.2f}")
    path = " → ".join(response.relation_paths[0].relations)
    out.print(f"path        {escape(response.topic_entities[0].entity)} → {escape(path)}")
    for text in [item.text for item in response.evidence if item.text]:
        out.print(f"evidence    {escape(text)}")
    for without in response.degraded:
        out.print(f"degraded    {escape(without)}")
    out.print(f"time        {response.timings_ms.total:.0f} ms")
