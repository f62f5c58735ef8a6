"""Find where a question mentions a topic entity that is already known."""

import asyncio
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from graph.name_matching import short_name
from graph.store import GraphStore
from language.english.mentions import MAX_MENTION_WORDS
from language.mentions import Mention
from language.question import Question
from services.retriever.linking.name_variants import name_variants
from shared.text import normalise

_NAMES_PER_LOOKUP = 2000
# Longer names are found only if spelled correctly: comparing every span of a long question takes seconds.
_MAX_FUZZY_WORDS = 20
_MIN_SIMILARITY = 0.75
# A surname alone is likelier than a misspelled full name whose first name is really just the preceding word.
_SHORT_NAME_SIMILARITY = 0.8


async def find_topic_mentions(store: GraphStore, pairs: Sequence[tuple[Question, str]]) -> list[Mention | None]:
    """Find where each question mentions its known topic: first by name, then by alias, then misspelled or shortened.

    Each of the `pairs` consists of a question and the name of its topic. The result has one mention per pair, or None
    if the question does not mention the topic. Aliases are looked up for all questions together, in a few large calls.
    """
    found = [_mention_by_name(question, topic) for question, topic in pairs]
    candidates: dict[int, list[Mention]] = {}
    for index, (question, _) in enumerate(pairs):
        if found[index] is None:
            await asyncio.sleep(0)
            mentions = question.mentions
            candidates[index] = [*mentions, *name_variants(question, mentions)]
    names = sorted({mention.name for tried in candidates.values() for mention in tried})
    bearers: dict[str, set[str]] = {}
    for start in range(0, len(names), _NAMES_PER_LOOKUP):
        await asyncio.sleep(0)
        batch = names[start : start + _NAMES_PER_LOOKUP]
        for name, matches in zip(batch, await store.entities_named(batch), strict=True):
            bearers[name] = {normalise(match.entity.name) for match in matches}
    for index, tried in candidates.items():
        await asyncio.sleep(0)
        question, topic = pairs[index]
        wanted = normalise(topic)
        by_alias = next((mention for mention in tried if wanted in bearers[mention.name]), None)
        found[index] = by_alias or find_mention(question, [topic])
    return found


def find_mention(question: Question, names: Sequence[str]) -> Mention | None:
    """Return where a question mentions one of `names`: exactly if possible, otherwise misspelled or shortened."""
    wanted = {normalise(name) for name in names}
    short = {short_name(name, normalise(name)) for name in names}
    longest = max(len(name.split()) for name in wanted) + 1
    candidates = question.mentions_of(min(longest, _MAX_FUZZY_WORDS))
    if exact := next((mention for mention in candidates if mention.name in wanted), None):
        return exact
    scored = [(_similarity(mention.name, name), mention) for mention in candidates for name in wanted]
    scored += [(_SHORT_NAME_SIMILARITY, mention) for mention in candidates if mention.name in short]
    similarity, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best if similarity >= _MIN_SIMILARITY else None


def _mention_by_name(question: Question, topic: str) -> Mention | None:
    wanted = normalise(topic)
    if wanted not in normalise(question.text):
        return None  # much cheaper than generating the mentions of a long question
    longest = max(MAX_MENTION_WORDS, len(wanted.split()))
    return next((mention for mention in question.mentions_of(longest) if mention.name == wanted), None)


def _similarity(left: str, right: str) -> float:
    return float(OSA.normalized_similarity(left, right, score_cutoff=_MIN_SIMILARITY))
