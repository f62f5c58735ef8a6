"""Hold what all makers of conditions on properties need."""

import random
from typing import Literal

from graph.plan.values import ValueType
from training.synthetic.plans.clauses import article
from training.synthetic.plans.nouns import noun
from training.synthetic.plans.pattern import NothingToSayError
from training.synthetic.plans.stating import ValueStater
from training.synthetic.plans.verbs import verb_phrase
from training.synthetic.plans.wordings import Split, part_wordings
from training.synthetic.plans.words import PropertyWords, WordedSchema

Operator = Literal["=", "!=", "<", "<=", ">", ">="]
NUMBERS = (ValueType.INTEGER, ValueType.FLOAT)
DATES = (ValueType.DATE, ValueType.DATETIME)
HAVE, ARE = verb_phrase("have"), verb_phrase("are")


class ConditionMaker:
    """Choose properties and words for conditions at random."""

    def __init__(self, schema: WordedSchema, stater: ValueStater, split: Split, rng: random.Random) -> None:
        self._schema = schema
        self._stater = stater
        self._split = split
        self._rng = rng

    def noun(self, words: PropertyWords, key: str) -> str:
        """Return a noun for a property; analysts now and then write its key."""
        if self._rng.random() < 0.06:
            return key if self._rng.random() < 0.6 else f"'{key}'"
        chosen = words.nouns[0] if self._rng.random() < 0.6 else self._rng.choice(words.nouns)
        return chosen.plural if chosen.is_plural else chosen.singular

    def _choose(self, keys: list[str]) -> str:
        if not keys:
            raise NothingToSayError
        return self._rng.choice(keys)

    def _wording(self, table: str, name: str) -> str:
        return self._rng.choice(part_wordings(table, name, self._split))

    def _posts(self, name: str, words: PropertyWords, key: str, stated: str) -> tuple[str, ...]:
        said = self.noun(words, key)
        found = self._rng.sample(list(part_wordings("text", name, self._split)), 2)
        return tuple(text.replace("{a_p}", article(said)).replace("{p}", said).replace("{v}", stated) for text in found)


def name_words() -> PropertyWords:
    """Return the words for the property that names the nodes of a kind."""
    return PropertyWords((noun("name"),))


def filled(wording: str, first: str, second: str = "") -> str:
    """Fill the slots of a wording with one or two values."""
    return wording.replace("{v}", first).replace("{w}", second)
