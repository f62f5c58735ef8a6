"""The entities that questions are asked about."""

from __future__ import annotations

import random
from dataclasses import dataclass

from examples.world.paths import Index
from examples.world.store import read_facts
from examples.world.wording import Kind

BIG = 8_000_000


@dataclass
class Topics:
    """Topics that people ask about often, and the others."""

    often: list[str]
    seldom: list[str]


class Pools:
    """Topics by type; a type is the word in the head of a kind of question."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.facts = read_facts("topics")
        self.types = self._types()
        self.famous = self._famous()
        self._cache: dict[str, Topics] = {}

    def _listed(self, name: str) -> list[str]:
        names = [" ".join(part.split()) for part in self.facts[name].split(";")]
        return [name for name in names if name]

    def _subjects(self, relation: str) -> list[str]:
        return sorted({s for (s, r) in self.index.out if r == relation})

    def _objects(self, relation: str) -> list[str]:
        return sorted({o for (o, r) in self.index.into if r == relation})

    def _types(self) -> dict[str, list[str]]:
        country = self._subjects("continent")
        capital = [o for o in self._objects("capital") if set(self.index.answers(o, ["^capital"])) & set(country)]
        wanted = set(self._listed("state_countries"))
        state = [s for s in self._subjects("state_of") if wanted & set(self.index.answers(s, ["state_of"]))]
        city = self._subjects("located_in")
        return {
            "country": country,
            "capital": capital,
            "state": state,
            "city": city,
            "uscity": [c for c in city if set(self.index.answers(c, ["in_state"])) & set(state)],
            "continent": self._objects("continent"),
            "subregion": self._objects("subregion"),
            "organisation": self._objects("member_of"),
            "language": self._objects("official_language"),
            "currency": self._objects("currency"),
            "callingcode": self._objects("calling_code"),
            "airport": self._subjects("airport_in"),
            "iata": self._objects("iata_code"),
            "smallcountry": [c for c in country if len(self.index.answers(c, ["time_zone"])) < 3],
        }

    def _famous(self) -> set[str]:
        parts = ("city", "airport", "language", "currency", "small_country")
        famous = {name for part in parts for name in self._listed(part)}
        famous |= {
            c for c in self.types["country"] if any(int(n) >= BIG for n in self.index.answers(c, ["population"]))
        }
        famous |= {a for c in famous for a in self.index.answers(c, ["capital"])}
        famous |= {s for s in self.types["state"] if "United States" in self.index.answers(s, ["state_of"])}
        famous |= {code for c in list(famous) for code in self.index.answers(c, ["calling_code"])}
        famous |= {code for c in list(famous) for code in self.index.answers(c, ["iata_code"])}
        return famous

    def _plain(self, topic: str) -> bool:
        """Whether the topic's name, as it is typed, means this topic only."""
        return self.index.meaning(topic) == {topic}

    def topics(self, kind: Kind, most: int) -> Topics:
        """The topics that have answers, not too many of them."""
        if kind.name in self._cache:
            return self._cache[kind.name]
        names = [name for pool in kind.pools for name in self.types[self._alias(pool)] if self._plain(name)]
        good = [name for name in names if 0 < len(self.index.answers(name, kind.path)) <= most]
        if not good:
            raise ValueError(f"no topics for {kind.name}")
        often = [name for name in good if name in self.famous]
        self._cache[kind.name] = Topics(often, [name for name in good if name not in self.famous])
        return self._cache[kind.name]

    @staticmethod
    def _alias(pool: str) -> str:
        """Types that are others, told apart in the wording files only for the reader."""
        same = {
            "bordercountry": "country",
            "sharecountry": "country",
            "demonymcountry": "country",
            "membercountry": "country",
            "airportcity": "city",
            "bordercity": "city",
            "bordercapital": "capital",
            "sharecapital": "capital",
            "smalllanguage": "language",
            "signcurrency": "currency",
        }
        return same.get(pool, pool)

    @staticmethod
    def draw(topics: Topics, rng: random.Random) -> str:
        """A topic: mostly one that people ask about often."""
        if topics.often and (not topics.seldom or rng.random() < 0.75):
            return rng.choice(topics.often)
        return rng.choice(topics.seldom)

    def anything(self) -> Topics:
        """Countries, capitals and cities."""
        names = sorted(n for n in {*self.types["country"], *self.types["city"]} if self._plain(n))
        return Topics([n for n in names if n in self.famous], self.types["country"])

    def unknown(self, split: str) -> list[str]:
        """Places that the graph does not hold."""
        names = [" ".join(part.split()) for part in self.facts["unknown"][split].split(";")]
        return [name for name in names if not self.index.all_meanings(name)]
