"""Entity linking: which entities of the graph a question may be about, and which of its words say so.

The paper takes topic entities as given by the data set; here they are found by name. All runs of words are looked up
at once, then as other ways to write a name and as short names; where that leaves words unexplained, with typing errors.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from services.retriever.linking import candidates
from services.retriever.linking.mention_scoring import Naming
from services.retriever.linking.mentions import MAX_MENTION_WORDS, Mention, mention_of, mentions_in
from services.retriever.linking.name_variants import variants
from services.retriever.linking.word_surprisal import WordRarity
from shared.errors import UnknownEntityError
from shared.graph.store import Entity, GraphStore, NameMatch
from shared.text import normalise

MAX_CANDIDATES = 5
_LOOKUPS_A_CALL = 2000
_LOOKUPS_AT_ONCE = 500
# Below this share of the best candidate's score a candidate is not worth asking the model about.
_MIN_SHARE = 0.1
_MIN_SCORE = 0.03
# Nats: how much weaker one mention may be than another by chance, what makes a mention believable on its own, what
# being part of a longer name costs, and what being the best known of a name is worth.
_CHANCE = 3.0
_BELIEVABLE = 2.0
_PART = 4.0
_NO_WORSE = 1.5
_BEST_KNOWN = 0.3
# What no ordinary word reaches by itself.
_STANDS_OUT = 10.5
# Of a name that very many bear, only the best known bearers are looked at; of a very long question, only so many
# readings are weighed against each other.
_MOST_BEARERS = 8
_MOST_READINGS = 200
# A given name means the entity of that name rather than one that also goes by it.
_BY_ALIAS = 0.8
_OTHERWISE_SPELT = 0.5


@dataclass(frozen=True, slots=True)
class LinkedTopic:
    """A topic entity that a question may have, with where it is mentioned and a score from 0 to 1.

    `corrected`: see `Naming.correction`; 0 where the name is written out as the graph does.
    """

    entity: Entity
    mention: Mention | None
    score: float
    corrected: float = 0.0


class EntityLinker:
    """Finds topic entities by their names."""

    def __init__(self, store: GraphStore, rarity: WordRarity) -> None:
        self._store = store
        self._rarity = rarity

    async def link(self, question: str) -> list[LinkedTopic]:
        """Topic candidates of a free question, best first, at most five; empty if nothing in it looks like a name."""
        mentions = mentions_in(question)
        if not mentions:
            return []
        naming = Naming(question, self._rarity)
        found = await _looked_up(naming, mentions, self._store.entities_named)
        others = candidates.otherwise_written(question, mentions, _outstanding(found))
        found += await _looked_up(naming, others, self._store.entities_named)
        short = candidates.shortened(naming, mentions, _outstanding(found))
        found += await _looked_up(naming, short, self._store.entities_by_short_name)
        explained = [topic.mention for topic in found]
        misspelt = candidates.misspelt(question, naming, mentions, explained, _outstanding(found))
        found += await _looked_up(naming, misspelt, self._store.entities_like)
        return _best(_scored(_without_parts(found)))

    async def resolve(self, question: str, name: str) -> list[LinkedTopic]:
        """The entities that bear a given name, best first, with the question's mention of it.

        Those whose name is written just so come before others.

        Raises UnknownEntityError with near names if there is none.
        """
        [matches] = await self._store.entities_named([name])
        if not matches:
            raise UnknownEntityError(await self._unknown(name))
        [mention] = await find_mentions(self._store, [(question, matches[0].entity.name)])
        mention = mention or mention_of(question, [name])
        most = max(match.degree for match in matches)
        # Where two names differ in capitals or signs alone, whoever writes one of them out means that one.
        literal = {match.name for match in matches} & {name}
        found = [
            LinkedTopic(match.entity, mention, _popularity(match, most) * _likelihood(match, literal))
            for match in matches
        ]
        return _best(found)

    async def _unknown(self, name: str) -> str:
        [short] = await self._store.entities_by_short_name([name])
        [like] = await self._store.entities_like([name])
        near = short + like
        suggestion = " or ".join(repr(match.name) for match in near[:3])
        advice = f"did you mean {suggestion}?" if near else "check the spelling, or leave it out to have it found"
        return f"the graph has no entity called {name!r}; {advice}"


async def _looked_up(
    naming: Naming, mentions: Sequence[Mention], look_up: Callable[[Sequence[str]], Awaitable[list[list[NameMatch]]]]
) -> list["_Weighed"]:
    """The entities that a lookup of the store finds under the mentions' names, weighed."""
    found = []
    for start in range(0, len(mentions), _LOOKUPS_AT_ONCE):
        some = mentions[start : start + _LOOKUPS_AT_ONCE]
        if start:
            await asyncio.sleep(0)  # a long question lets others go on
        names = list(dict.fromkeys(mention.name for mention in some))
        found += _weighed(naming, some, dict(zip(names, await look_up(names), strict=True)))
    return found


def _outstanding(found: Sequence["_Weighed"]) -> list[Mention]:
    """The mentions that no ordinary words would make by chance."""
    return [topic.mention for topic in found if topic.strength >= _STANDS_OUT]


async def find_mentions(store: GraphStore, pairs: Sequence[tuple[str, str]]) -> list[Mention | None]:
    """Where each question mentions its known topic: by name, else by an alias, else with typing errors.

    `pairs`: question and topic name. Aliases are looked up for all questions together, in a few large calls.
    """
    found = [_by_name(question, topic) for question, topic in pairs]
    missing = [index for index, mention in enumerate(found) if mention is None]
    candidates: dict[int, list[Mention]] = {}
    for index in missing:
        await asyncio.sleep(0)
        candidates[index] = _written_any_way(pairs[index][0])
    names = sorted({mention.name for mentions in candidates.values() for mention in mentions})
    bearers: dict[str, set[str]] = {}
    for start in range(0, len(names), _LOOKUPS_A_CALL):
        await asyncio.sleep(0)
        chunk = names[start : start + _LOOKUPS_A_CALL]
        for name, matches in zip(chunk, await store.entities_named(chunk), strict=True):
            bearers[name] = {normalise(match.entity.name) for match in matches}
    for index in missing:
        await asyncio.sleep(0)
        question, topic = pairs[index]
        wanted = normalise(topic)
        by_alias = next((m for m in candidates[index] if wanted in bearers[m.name]), None)
        found[index] = by_alias or mention_of(question, [topic])
    return found


def _written_any_way(question: str) -> list[Mention]:
    mentions = mentions_in(question)
    return [*mentions, *variants(question, mentions)]


def _by_name(question: str, topic: str) -> Mention | None:
    wanted = normalise(topic)
    if wanted not in normalise(question):
        return None  # spares long questions the work below
    longest = max(MAX_MENTION_WORDS, len(wanted.split()))
    return next((mention for mention in mentions_in(question, longest) if mention.name == wanted), None)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An entity that a mention may name, with what speaks for that in nats."""

    entity: Entity
    mention: Mention
    strength: float
    corrected: float


def _weighed(naming: Naming, mentions: Sequence[Mention], matches: Mapping[str, Sequence[NameMatch]]) -> list[_Weighed]:
    found = []
    for mention in mentions:
        bearers = matches.get(mention.name, ())[:_MOST_BEARERS]
        if not bearers:
            continue
        most = max(match.degree for match in bearers)
        is_part = naming.is_part_of_a_name(mention)
        for match in bearers:
            if match.is_short and is_part:
                continue
            known = _BEST_KNOWN * (match.degree / max(most, 1) - 1.0)
            corrected = naming.correction(mention, match, is_part)
            found.append(_Weighed(match.entity, mention, naming.strength(mention, match) + known, corrected))
    return found


def _scored(found: Sequence[_Weighed]) -> list[LinkedTopic]:
    """Scores from 0 to 1: each mention beside the strongest, which itself must be believable."""
    strongest = max((topic.strength for topic in found), default=0.0)
    return [
        LinkedTopic(
            topic.entity,
            topic.mention,
            math.exp((topic.strength - strongest) / _CHANCE) * -math.expm1(-max(0.0, strongest) / _BELIEVABLE),
            topic.corrected,
        )
        for topic in found
    ]


def _likelihood(match: NameMatch, literal: Collection[str]) -> float:
    """How likely a bearer is meant by a given name, `literal` if some bearer's name is spelt just so."""
    by_alias = _BY_ALIAS if match.is_alias else 1.0
    return by_alias * _OTHERWISE_SPELT if literal and match.name not in literal else by_alias


def _popularity(match: NameMatch, most: int) -> float:
    """From .9 to 1 by degree: enough to order entities of one name, too little to outweigh what the graph holds."""
    return 0.9 + 0.1 * match.degree / max(most, 1)


def _without_parts(found: Sequence[_Weighed]) -> list[_Weighed]:
    """Lower what lies inside a longer mention that is no worse: `New York` is not about York."""
    weighed = sorted(found, key=lambda topic: -topic.strength)[:_MOST_READINGS]
    kept = []
    for topic in weighed:
        inside = any(
            other.mention.contains(topic.mention) and other.strength >= topic.strength - _NO_WORSE for other in weighed
        )
        kept.append(replace(topic, strength=topic.strength - _PART * inside))
    return kept


def _best(found: Sequence[LinkedTopic]) -> list[LinkedTopic]:
    """Each entity once, best first; nothing far below the best."""
    best: dict[str, LinkedTopic] = {}
    for topic in sorted(found, key=lambda topic: (-topic.score, topic.mention.start if topic.mention else 0)):
        best.setdefault(topic.entity.id, topic)
    ranked = list(best.values())[:MAX_CANDIDATES]
    return [topic for topic in ranked if topic.score >= max(_MIN_SCORE, _MIN_SHARE * ranked[0].score)]
