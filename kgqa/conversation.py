"""Keep a conversation with a running answerer: `kgqa ask` without a question."""

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from kgqa.advice import reach_advice
from kgqa.console import bold, err, out
from shared.errors import DependencyError, InvalidInputError, KGQAError, UnauthenticatedError, UnreachableError
from shared.escaping import text_of_markdown
from shared.outbound.http import HttpClient
from shared.outbound.urls import parse_http_url

_ROUTE, _MODEL = "/v1/chat/completions", "kgqa"
# The answerer looks back at the last few questions only.
_KEPT_MESSAGES = 20
_LINK = re.compile(r"^\[\d+\]: \S+.*$", re.MULTILINE)
_PROMPT = "? "


class Message(BaseModel):
    """Hold one turn of the conversation."""

    role: Literal["user", "assistant"]
    content: str


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Citation(_Lenient):
    title: str
    start_index: int
    end_index: int


class _Annotation(_Lenient):
    url_citation: _Citation


class _Reply(_Lenient):
    content: str
    annotations: list[_Annotation] = []

    def evidence(self) -> list[str]:
        """Return the evidence with its marks, such as `[1] The capital of France is Paris.`, each once."""
        cited = [annotation.url_citation for annotation in self.annotations]
        return list(dict.fromkeys(f"{self.content[one.start_index : one.end_index]} {one.title}" for one in cited))

    def text(self) -> str:
        """Return the reply without its list of links, and without the escapes of Markdown."""
        return text_of_markdown(_LINK.sub("", self.content).strip())


class _Choice(_Lenient):
    message: _Reply


class _Completion(_Lenient):
    choices: list[_Choice]


class Conversation:
    """Ask questions that may refer to earlier ones, such as `And who wrote them?`."""

    def __init__(
        self,
        url: str,
        timeout_s: float,
        api_key: str | None,
        graph: str | None = None,
        cost_of_wrong: float | None = None,
    ) -> None:
        """Talk to the answerer at `url` about a graph, or its only one; raise InvalidInputError for a malformed URL."""
        self._options = {} if cost_of_wrong is None else {"cost_of_wrong": cost_of_wrong}
        self._graph = graph
        self._model = f"{_MODEL}:{graph}" if graph else _MODEL
        self._url = str(parse_http_url(url, "an answerer"))
        self._timeout_s = timeout_s
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else None
        self._messages: list[Message] = []

    async def ask(self, question: str) -> _Reply:
        """Return the reply; a question that fails is forgotten.

        Raises:
            InvalidInputError: The question is invalid.
            UnauthenticatedError: The answerer requires another key.
            DependencyError: The answerer does not respond, or cannot answer at the moment.
        """
        asked = [*self._messages, Message(role="user", content=question)]
        body = {"model": self._model, "messages": [message.model_dump() for message in asked], **self._options}
        client = HttpClient("the answerer", self._url, self._timeout_s, self._headers)
        try:
            status, content = await client.request(_ROUTE, json.dumps(body).encode())
        except UnreachableError as error:
            raise UnreachableError(f"{error.detail} {reach_advice(self._url, self._graph)}") from error
        finally:
            await client.close()
        if status != HTTPStatus.OK:
            raise _error(status, content)
        reply = _read(content)
        self._messages = [*asked, Message(role="assistant", content=reply.content)][-_KEPT_MESSAGES:]
        return reply


def converse(conversation: Conversation, read: Callable[[], Iterator[str]]) -> None:
    """Answer one question after the other until there are no more; a question that is refused does not end it."""
    for question in read():
        if not question.strip():
            continue
        try:
            reply = asyncio.run(conversation.ask(question))
        except (UnauthenticatedError, UnreachableError):
            raise  # no other question would fare better
        except KGQAError as error:
            err.print(error.detail)
            continue
        for line in filter(None, reply.text().splitlines()):
            out.print(bold(line))
        for item in reply.evidence():
            out.print(f"  {item}")


def typed_questions() -> Iterator[str]:
    """Yield the lines of stdin; in a terminal, prompt for each, with a history."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - lets input() edit lines and remember them
    err.print("ask a question, and follow-ups such as “what about Germany?”; Ctrl-D ends")
    while True:
        try:
            yield input(_PROMPT)
        except EOFError:
            err.print()
            return


def _read(content: bytes) -> _Reply:
    try:
        return _Completion.model_validate_json(content).choices[0].message
    except (ValidationError, IndexError) as error:
        raise DependencyError("the answerer returned an unexpected reply; is this the URL of an answerer?") from error


def _error(status: int, content: bytes) -> KGQAError:
    """Return the error that a reply reports, in OpenAI's format or as problem+json."""
    try:
        reply = json.loads(content)
        detail = str(reply["error"]["message"] if "error" in reply else reply["detail"])
    except (ValueError, KeyError, TypeError):
        return DependencyError(f"the answerer returned status {status}; is this the URL of an answerer?")
    if status == HTTPStatus.UNAUTHORIZED:
        return UnauthenticatedError(detail)
    return DependencyError(detail) if status >= HTTPStatus.INTERNAL_SERVER_ERROR else InvalidInputError(detail)
