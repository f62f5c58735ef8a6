"""Link adjectives of places to the places: the French capital is France's, although `French` also names a language."""

from collections.abc import Sequence
from dataclasses import replace

from graph.store import GraphStore
from language.question import Question
from services.retriever.linking.selection import LinkedTopic


async def with_places(store: GraphStore, question: Question, topics: Sequence[LinkedTopic]) -> list[LinkedTopic]:
    """Replace what adjectives of places name, such as languages, by the places, as far as the graph has them.

    Raises DependencyError if the store does not respond.
    """
    found: list[LinkedTopic] = []
    for topic in topics:
        mention = topic.mention
        names = question.places_at(mention.start, mention.end) if mention is not None else []
        if names:
            matches = await store.entities_named(names)
            places = [one[0].entity for one in matches if one]
            topic = replace(topic, entity=places[0]) if places else topic
        if all(topic.entity.id != other.entity.id for other in found):
            found.append(topic)
    return found
