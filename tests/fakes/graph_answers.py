"""A retriever that knows the answers to the questions which a test lists."""

from collections.abc import Mapping, Sequence

from contracts.answers import Answer, EvidenceTriples
from contracts.ask import AskRequest
from contracts.retrieve import RetrieveRequest, RetrieveResponse, TopicEntity
from services.answerer.chat.restriction import AskedAbout
from services.answerer.pipeline import Found
from shared.triple import Triple
from tests.fakes.services import capital_of_france, nothing_found

Known = Mapping[str, tuple[str | None, Sequence[str]]]
"""The name in each question, if any, and the answers to it."""


class ListedAnswers:
    """Implement `Retrieval` with a list of questions; `asked` records the questions."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self.asked: list[str] = []

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Return the listed answers, each with its own item of evidence, or nothing."""
        self.asked.append(request.question)
        if (known := self._known.get(request.question)) is None:
            return nothing_found().model_copy(update={"topic_entities": []})
        topic, answers = known
        evidence = [EvidenceTriples(triples=[Triple(topic or "x", "has", answer)]) for answer in answers]
        topics = [TopicEntity(entity=topic, id=topic, mention=topic, score=1.0)] if topic else []
        changed = {
            "topic_entities": topics,
            "answers": [
                Answer(value=answer, id=answer, kind="Film", score=0.9, evidence=[number])
                for number, answer in enumerate(answers)
            ],
            "evidence": evidence,
        }
        return capital_of_france().model_copy(update=changed)

    async def find(self, asked: AskedAbout) -> Found:
        """Return what the pipeline finds for a question."""
        about = {"question": asked.text, "means": dict(asked.means), "among": tuple(asked.among)}
        retrieved = await self.retrieve(RetrieveRequest.model_validate(about))
        return Found(AskRequest.model_validate(about), retrieved, 0.0)
