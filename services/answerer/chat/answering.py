"""Answer the last message of a conversation, with the steps of `POST /ask`."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.answers import AMBIGUOUS_NAME, STRATEGY_UNAVAILABLE, UNFAITHFUL_TEXT, UNSUPPORTED_ANSWER, WITHHELD
from contracts.ask import AskResponse, CitedEvidence
from contracts.rewrite import TokenUsage
from language.english.morphology import counted
from services.answerer.chat.abstention import why_abstained
from services.answerer.chat.certainty import how_sure
from services.answerer.chat.citations import Citation, CitedText, cite, link_definitions
from services.answerer.chat.clarifying import asked_back
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.chat.follow_ups import Reading, read_message
from services.answerer.chat.front_end_tasks import task_reply
from services.answerer.chat.models import chosen_model
from services.answerer.chat.requests import ChatCompletionRequest, ask_request
from services.answerer.chat.restriction import AskedAbout
from services.answerer.chat.small_talk import small_talk_reply
from services.answerer.pipeline import Asker, Found
from shared.escaping import markdown_text

# These warnings explain the wording of a reply, what is not set up, or an option of requests, which means nothing to
# the reader of a chat.
_UNTOLD = {UNFAITHFUL_TEXT, UNSUPPORTED_ANSWER, STRATEGY_UNAVAILABLE, WITHHELD}
_LEFT_OUT = "I read texts only, and left out {} of the earlier messages, such as images."


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The Markdown of a reply with its citations, and the replies of the pipeline that it consists of."""

    text: str
    citations: tuple[Citation, ...] = ()
    responses: tuple[AskResponse, ...] = ()

    @property
    def usage(self) -> TokenUsage:
        """Return the tokens that the reply took."""
        return TokenUsage(
            prompt_tokens=sum(response.usage.prompt_tokens for response in self.responses),
            completion_tokens=sum(response.usage.completion_tokens for response in self.responses),
        )


class ChatAnswerer:
    """Answer chat clients. Safe for concurrent use.

    Args:
        asker: Answers single questions.
        evidence: Keeps what replies cite.
    """

    def __init__(self, asker: Asker, evidence: EvidenceStore) -> None:
        self._asker = asker
        self._evidence = evidence

    async def read(self, request: ChatCompletionRequest) -> Reading | str:
        """Return what the last message asks, or the reply if it is a prompt of a front end, or small talk.

        Raises:
            NotFoundError: If the model does not exist, or is not for the caller.
            InvalidInputError: If there is no question, or if it is too long.
            DependencyError: If the retriever does not respond.
        """
        model = chosen_model(request.model)
        *earlier, question = request.questions()
        reply = task_reply(request.turns())
        if reply is None:  # a front end may expect an empty text
            reply = small_talk_reply(question)
        # A pronoun may refer to what was said before `Thanks!`.
        questions = [*(one for one in earlier if small_talk_reply(one) is None), question]

        async def find(asked: AskedAbout) -> Found:
            return await self._asker.find(ask_request(asked, model, request.cost_of_wrong))

        if reply is not None:
            return reply
        reading = await read_message(questions, find)
        left_out = request.left_out
        return reading.with_note(_LEFT_OUT.format(counted(left_out, "part"))) if left_out else reading

    async def answer(self, reading: Reading | str, link: Callable[[str], str], request_id: str) -> ChatReply:
        """Put what was read into words; `link` returns the URL of the evidence with an ID."""
        if isinstance(reading, str):
            return ChatReply(reading)
        if not reading.found:
            return ChatReply(markdown_text(reading.note))
        found = reading.found if reading.is_answered else reading.found[:1]
        responses = await asyncio.gather(*(self._asker.answer(one, request_id) for one in found))

        graph = found[0].request.graph  # all questions of a conversation are about one graph

        def keep(evidence: CitedEvidence) -> str:
            return link(self._evidence.add(evidence, graph))

        return _written(found, responses, reading, keep)


def _written(
    found: Sequence[Found], responses: Sequence[AskResponse], reading: Reading, keep: Callable[[CitedEvidence], str]
) -> ChatReply:
    text, citations = "", list[Citation]()
    for one, response in zip(found, responses, strict=True):
        before = f"- {markdown_text(one.request.question)} " if len(found) > 1 else reading.opening
        cited = cite(response, one.request.question, len({c.number for c in citations}) + 1, keep)
        offset = len(text) + len(before)
        citations += _moved(cited, offset)
        text += before + cited.text + ("\n" if len(found) > 1 else "")
    text = text.rstrip("\n")
    asked = asked_back(responses)
    untold = _UNTOLD | ({AMBIGUOUS_NAME} if asked else set())
    warnings = [warning.text for one in responses for warning in one.warnings if warning.kind not in untold]
    reasons = [reason for one in responses for reason in why_abstained(one)]
    said = dict.fromkeys((*how_sure(responses), reading.note, *asked, *warnings, *reasons))
    remarks = "\n\n".join(markdown_text(part) for part in said if part)
    text += f"\n\n{remarks}" if remarks else ""
    return ChatReply(text + link_definitions(citations), tuple(citations), tuple(responses))


def _moved(cited: CitedText, offset: int) -> list[Citation]:
    return [Citation(one.number, one.url, one.title, one.start + offset, one.end + offset) for one in cited.citations]
