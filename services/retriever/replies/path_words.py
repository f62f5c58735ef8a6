"""Tell what relation paths leave unread of a question: operators, further entities, numbers, and names."""

from collections.abc import Iterable, Sequence

from language.english.ordinary_words import is_ordinary_word
from language.english.stems import spelt_out
from language.question import Question
from language.values import QuestionValue, ValueForm
from services.retriever.linking.longer_names import names_beside
from services.retriever.paths.model_folder import Manifest
from services.retriever.replies.reply import PathReply
from shared.text import normalise

_ANOTHER_ENTITY = 0.6
"""A question is about several entities if another one scores at least this share of the best score."""


class PathWords:
    """Compare questions with the words of the questions that a model of relation paths was trained on."""

    def __init__(self, manifest: Manifest) -> None:
        self._operators = manifest.operator_words
        self._known = frozenset(manifest.question_words)

    @property
    def are_known(self) -> bool:
        """Return whether the model learnt from people's questions, not only from those made from relations' names."""
        return bool(self._known)

    def are_new(self, text: str, besides: frozenset[str] = frozenset()) -> bool:
        """Return whether a text has words that neither training questions use nor `besides` has."""
        return not self._known.union(besides).issuperset(normalise(text).split())

    def unread(self, question: Question, reply: PathReply) -> frozenset[str]:
        """Return the operators of a question that the best path of its reply does not express, and further entities.

        An operator such as "how many" is expressed if training questions with such a path use it. A path begins at one
        entity, so that it leaves others unread, and a word that makes the entity's name a longer one.
        """
        masked = without_topic(question, reply)
        last = set(reply.relations[-1:])
        operators = {word for word in masked.operator_words if last.isdisjoint(self._operators.get(word, ()))}
        if len(reply.answers) > 1:
            operators |= masked.aggregate_words  # one number is asked for
        topics = [topic for topic in reply.topics if topic.mention]
        others = {
            topic.mention or ""
            for topic in topics[1:]
            if topic.score >= _ANOTHER_ENTITY * topics[0].score
            and _stands_alone(topic.mention or "", question, masked)
            and not _is_misspelt_word(topic.mention or "", [topic.entity])
        }
        beside = names_beside(question, topics[0].mention or "") if topics and self.are_known else []
        return frozenset(operators | others | {word for word in beside if self.are_new(word)})

    def unread_values(self, question: Question, reply: PathReply, values: Sequence[QuestionValue]) -> frozenset[str]:
        """Return the numbers and names of a question, in words that training questions lack, apart from the topic.

        Who writes names with capitals means an ordinary word by one without, even if the graph has a tag `screenplay`,
        and a misspelt word is none. The words of the path's relations are read, even if an entity is named like them.
        """
        masked = without_topic(question, reply)
        read = frozenset(word for one in reply.relations for word in spelt_out(one))
        has_capitals = any(topic.mention != (topic.mention or "").lower() for topic in reply.topics[:1])
        known = [one for one in values if one.form is not ValueForm.TEXT or _is_name(one, has_capitals)]
        return frozenset(
            one.text
            for one in known
            if _stands_alone(one.text, question, masked) and self.are_new(one.text, besides=read)
        )


def without_topic(question: Question, reply: PathReply) -> Question:
    """Return a question without the mention of the best topic entity."""
    return question.without(reply.mention)


def _stands_alone(text: str, question: Question, masked: Question) -> bool:
    """Return whether a question without its topic has a text as words of its own: `运动` in `运动员` is none."""
    return text in masked.text and question.has_apart(text)


def _is_misspelt_word(text: str, names: Iterable[object]) -> bool:
    """Return whether a text is an ordinary word that is only similar to the names: `moveis`, and a film `Moves`."""
    return is_ordinary_word(text) and normalise(text) not in {normalise(str(name)) for name in names}


def _is_name(value: QuestionValue, has_capitals: bool) -> bool:
    """Return whether a text that the graph stores is a name, in a question that may write names with capitals."""
    is_word = has_capitals and is_ordinary_word(value.text)
    return bool(value.stored) and not is_word and not _is_misspelt_word(value.text, value.stored.values())
