"""Describe the topic entities of a reply."""

from contracts.retrieve import TopicEntity
from language.question import Question
from services.retriever.linking.selection import LinkedTopic


def topic_entity(question: Question, topic: LinkedTopic, detail: str | None = None) -> TopicEntity:
    """Describe a linked topic entity by its mention, and by what tells it apart from others with its name."""
    mention = question.text[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, id=topic.entity.id, detail=detail, mention=mention, score=topic.score)
