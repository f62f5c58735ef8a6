"""Link a question to its topic entities: generate candidate names, look them up, score the matches, and select.

The paper takes topic entities from the data set; here they are found by name.
"""

from collections.abc import Sequence

from graph.store import Entity, GraphStore
from language.mentions import Mention
from language.question import Question
from services.retriever.linking.candidates import CandidateGenerator
from services.retriever.linking.lookup import look_up
from services.retriever.linking.meant_nodes import meant_matches
from services.retriever.linking.mention_scoring import MentionScorer, ScoredMatch, score_given_name
from services.retriever.linking.place_adjectives import with_places
from services.retriever.linking.selection import LinkedTopic, best_topics, select_topics
from services.retriever.linking.suggestions import unknown_entity
from services.retriever.linking.topic_mentions import find_mention, find_topic_mentions
from services.retriever.linking.word_surprisal import WordSurprisal


class EntityLinker:
    """Find the entities of a graph that a question may be about; instances are safe for concurrent use.

    Example:
        >>> linker = EntityLinker(store, WordSurprisal(["capital"]))
        >>> topics = await linker.link("What is the capital of France?")
        >>> topics[0].entity.name
        'France'
    """

    def __init__(self, store: GraphStore, surprisal: WordSurprisal) -> None:
        self._store = store
        self._surprisal = surprisal

    async def topics(self, question: Question, given: str | None) -> list[LinkedTopic]:
        """Link a question, or resolve the name of its topic entity if one is given."""
        return await (self.link(question) if given is None else self.resolve(question, given))

    async def link(self, question: Question) -> list[LinkedTopic]:
        """Find the topic entities of a question.

        Names are looked up in rounds of increasing cost: as written, as variants, as short names, and as misspelled
        names. The matches from each round narrow the following rounds. Returns up to five topics, best first; none if
        nothing in the question looks like a name. Raises DependencyError if the store does not respond.
        """
        candidates = CandidateGenerator(question, self._surprisal)
        scorer = MentionScorer(question, self._surprisal)
        rounds = (
            (candidates.exact_names, self._store.entities_named),
            (candidates.variants, self._store.entities_named),
            (candidates.short_names, self._store.entities_by_short_name),
            (candidates.misspelled_names, self._store.entities_like),
        )
        found: list[ScoredMatch] = []
        for generate, search in rounds:
            async for matches in look_up(generate(found), search):
                found += scorer.score(matches)
        topics = await with_places(self._store, question, select_topics(found))
        return _keeping_to_meant(question, topics) if question.meant else topics

    async def resolve(self, question: Question, name: str) -> list[LinkedTopic]:
        """Find up to five entities with a given name or alias, and where the question mentions them, if anywhere.

        Entities whose names are spelled exactly as given come first. Raises UnknownEntityError, which suggests similar
        names, if no entity has this name, and DependencyError if the store does not respond.
        """
        [named] = await self._store.entities_named([name])
        if not (matches := meant_matches(question, name, named)):
            raise await unknown_entity(
                self._store, name, "check the spelling, or omit the topic entity to have it detected"
            )
        [mention] = await find_topic_mentions(self._store, [(question, matches[0].entity.name)])
        mention = mention or find_mention(question, [name])
        scores = score_given_name(name, matches)
        return best_topics(
            LinkedTopic(match.entity, mention, score) for match, score in zip(matches, scores, strict=True)
        )


def _keeping_to_meant(question: Question, topics: Sequence[LinkedTopic]) -> list[LinkedTopic]:
    """Return the topics with the entities that names of the question mean in place of all others with these names."""
    spans = question.meant_spans

    def is_other(topic: LinkedTopic) -> bool:
        place = topic.mention
        return place is not None and any(start < place.end and place.start < end for start, end, _ in spans)

    meant = [
        LinkedTopic(Entity(one.id, one.name), Mention(start, end, one.name, len(one.name.split())), 1.0)
        for start, end, one in spans
    ]
    return best_topics([*meant, *(topic for topic in topics if not is_other(topic))])
