"""Provide a retrieval strategy with fixed replies, for tests of what chooses among strategies."""

from contracts.answers import AnswerType, EvidenceTriples
from contracts.plans import QueryPlan
from contracts.retrieve import Alternative, ScoredPath, TopicEntity
from services.retriever.replies.asked import Asked
from services.retriever.replies.reply import AnyReply, FoundAnswer, PathReply
from shared.errors import KGQAError
from shared.triple import Triple


def by_path() -> PathReply:
    """Return a reply to a question about the capital of France."""
    return PathReply(
        topics=(TopicEntity(entity="France", id="France", mention="France", score=1.0),),
        hop_probabilities=(0.0, 1.0),
        paths=(ScoredPath(relations=["capital"], score=0.9),),
        answers=(FoundAnswer(value="Paris", id="Paris", score=0.9, evidence=(0,)),),
        evidence=(EvidenceTriples(triples=[Triple("France", "capital", "Paris")]),),
        confidence=0.9,
        alternatives=(reading("Spain", more=2),),
        plan=QueryPlan(text='match "France" -capital-> answer → distinct answer', steps=[]),
        graph_version="1",
        answer_type=AnswerType.ENTITIES,
    )


def abstention(*alternatives: Alternative, unread: tuple[str, ...] = ()) -> PathReply:
    """Return a reply without answers; by default, one reading was withheld."""
    return PathReply(
        hop_probabilities=(1.0, 0.0),
        confidence=0.1,
        alternatives=alternatives or (reading("Spain", more=2),),
        unread=unread,
        graph_version="1",
    )


def reading(answer: str, more: int = 0) -> Alternative:
    """Return a reading that was withheld."""
    return Alternative(
        plan="France -borders-> answer",
        topic_entity="France",
        relations=["borders"],
        score=0.05,
        answers=[answer],
        more=more,
    )


class FakeStrategy:
    """Give the same reply, or raise the same error, for every question; `asked` records the questions."""

    def __init__(self, outcome: AnyReply | KGQAError) -> None:
        self._outcome = outcome
        self.asked: list[Asked] = []

    async def reply(self, asked: Asked) -> AnyReply:
        self.asked.append(asked)
        if isinstance(self._outcome, KGQAError):
            raise self._outcome
        return self._outcome
