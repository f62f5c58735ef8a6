"""Choose topic entities for questions."""

import random
from dataclasses import dataclass

from examples.world.graph import GraphIndex, read_facts
from examples.world.wordings import QuestionKind

_LARGE_POPULATION = 8_000_000
_OFTEN_SHARE = 0.75


@dataclass
class Topics:
    """Hold the topics that people often ask about, and all other topics."""

    often: list[str]
    seldom: list[str]

    def draw(self, rng: random.Random) -> str:
        """Draw a topic, usually one that people often ask about."""
        is_often = self.often and (not self.seldom or rng.random() < _OFTEN_SHARE)
        return rng.choice(self.often if is_often else self.seldom)


class TopicPools:
    """Provide topics by type; the heading of each question kind lists its topic types."""

    def __init__(self, index: GraphIndex) -> None:
        self._index = index
        self._facts = read_facts("topics")
        self._types = self._read_types()
        self._famous = self._find_famous()
        self._topics: dict[str, Topics] = {}

    def _subjects(self, relation: str) -> list[str]:
        return sorted({s for (s, r) in self._index.out if r == relation})

    def _objects(self, relation: str) -> list[str]:
        return sorted({o for (o, r) in self._index.into if r == relation})

    def _read_types(self) -> dict[str, list[str]]:
        answers = self._index.answers
        country = self._subjects("continent")
        state_countries = set(_listed(self._facts["state_countries"]))
        state = [s for s in self._subjects("state_of") if state_countries & set(answers(s, ["state_of"]))]
        city = self._subjects("located_in")
        return {
            "country": country,
            "capital": [o for o in self._objects("capital") if set(answers(o, ["^capital"])) & set(country)],
            "state": state,
            "city": city,
            "uscity": [c for c in city if set(answers(c, ["in_state"])) & set(state)],
            "continent": self._objects("continent"),
            "subregion": self._objects("subregion"),
            "organisation": self._objects("member_of"),
            "language": self._objects("official_language"),
            "currency": self._objects("currency"),
            "callingcode": self._objects("calling_code"),
            "airport": self._subjects("airport_in"),
            "iata": self._objects("iata_code"),
            "smallcountry": [c for c in country if len(answers(c, ["time_zone"])) < 3],
        }

    def _find_famous(self) -> set[str]:
        answers = self._index.answers
        types = ("city", "airport", "language", "currency", "small_country")
        famous = {name for type_ in types for name in _listed(self._facts[type_])}
        famous |= {
            c for c in self._types["country"] if any(int(n) >= _LARGE_POPULATION for n in answers(c, ["population"]))
        }
        famous |= {a for c in famous for a in answers(c, ["capital"])}
        famous |= {s for s in self._types["state"] if "United States" in answers(s, ["state_of"])}
        famous |= {code for c in list(famous) for code in answers(c, ["calling_code"])}
        famous |= {code for c in list(famous) for code in answers(c, ["iata_code"])}
        return famous

    def topics(self, kind: QuestionKind, max_answers: int) -> Topics:
        """Return the unambiguous topics for which a kind of question has one to `max_answers` answers.

        Raise ValueError if there are none.
        """
        if kind.name not in self._topics:
            types = [self._types[self._facts["synonym"].get(type_, type_)] for type_ in kind.topic_types]
            names = [name for type_ in types for name in type_ if self._index.is_unambiguous(name)]
            good = [name for name in names if 0 < len(self._index.answers(name, kind.path)) <= max_answers]
            if not good:
                raise ValueError(f"the question kind {kind.name} has no topics with answers")
            self._topics[kind.name] = Topics(
                [name for name in good if name in self._famous], [name for name in good if name not in self._famous]
            )
        return self._topics[kind.name]

    def any_place(self) -> Topics:
        """Return countries and cities, regardless of whether questions about them have answers."""
        places = {*self._types["country"], *self._types["city"]}
        often = sorted(name for name in places if name in self._famous and self._index.is_unambiguous(name))
        return Topics(often, self._types["country"])

    def unknown(self, split: str) -> list[str]:
        """Return names of places that the graph does not contain."""
        return [name for name in _listed(self._facts["unknown"][split]) if not self._index.all_meanings(name)]


def _listed(text: str) -> list[str]:
    """Split a list at semicolons."""
    names = (" ".join(part.split()) for part in text.split(";"))
    return [name for name in names if name]
