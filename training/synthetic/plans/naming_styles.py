"""Name the elements of an invented schema in one of the styles that real schemas use."""

import random
from dataclasses import dataclass

ABBREVIATIONS = {
    "department": "dept",
    "number": "no",
    "quantity": "qty",
    "amount": "amt",
    "date": "dt",
    "address": "addr",
    "average": "avg",
    "category": "cat",
    "manager": "mgr",
    "customer": "cust",
    "product": "prod",
    "salary": "sal",
    "employee": "emp",
    "count": "cnt",
    "organisation": "org",
    "description": "desc",
    "telephone": "tel",
    "year": "yr",
    "position": "pos",
    "status": "stat",
    "code": "cd",
    "reports": "rpts",
    "centre": "ctr",
    "cost": "cst",
    "level": "lvl",
    "start": "strt",
    "temperature": "temp",
    "maximum": "max",
    "minimum": "min",
    "transaction": "txn",
    "account": "acct",
    "price": "prc",
    "unit": "unt",
    "first": "fst",
    "percent": "pct",
    "capacity": "cap",
    "duration": "dur",
    "title": "ttl",
    "weight": "wgt",
    "height": "hgt",
    "population": "pop",
    "publication": "pub",
    "registration": "reg",
    "name": "nm",
}
_CASES = ("camel", "camel", "snake", "snake", "snake", "lower", "title")


@dataclass(frozen=True, slots=True)
class NamingStyle:
    """Say how a schema writes its names.

    Attributes:
        key_case: How property keys are written: camelCase, snake_case, alltogether, or Title Case.
        kind_case: How kinds are written.
        type_case: How relationship types are written.
        type_form: Whether types are verbs, nouns, or nouns after `has`; `mixed` chooses for each type.
        abbreviates: Whether long words are shortened.
        owner_in_key: The probability that a key begins with the name of its kind.
        synonyms: The probability that an element is named by a less common word.
    """

    key_case: str
    kind_case: str
    type_case: str
    type_form: str
    abbreviates: bool
    owner_in_key: float
    synonyms: float

    def key(self, words: str) -> str:
        """Write a property key."""
        return cased(self._shortened(words), self.key_case)

    def kind(self, words: str) -> str:
        """Write a kind."""
        return cased(words, self.kind_case)

    def type(self, words: str) -> str:
        """Write a relationship type."""
        return cased(self._shortened(words), self.type_case)

    def _shortened(self, words: str) -> str:
        if not self.abbreviates:
            return words
        return " ".join(ABBREVIATIONS.get(word, word) for word in words.lower().split())


def choose_style(rng: random.Random) -> NamingStyle:
    """Choose a style at random."""
    return NamingStyle(
        key_case=rng.choice(_CASES),
        kind_case=rng.choice(("pascal",) * 7 + ("snake", "upper", "spaced")),
        type_case=rng.choice(("upper",) * 6 + ("snake", "camel", "spaced")),
        type_form=rng.choice(("verb", "verb", "mixed", "mixed", "noun", "has")),
        abbreviates=rng.random() < 0.13,
        owner_in_key=rng.choice((0.0, 0.0, 0.1, 0.5)),
        synonyms=rng.choice((0.1, 0.3, 0.6)),
    )


def cased(text: str, case: str) -> str:
    """Write words in a case, such as `camel`."""
    words = text.replace("-", " ").replace("/", " ").replace("'", "").replace(".", " ").split()
    match case:
        case "camel":
            return words[0].lower() + "".join(word[:1].upper() + word[1:].lower() for word in words[1:])
        case "pascal":
            return "".join(word[:1].upper() + word[1:].lower() for word in words)
        case "snake":
            return "_".join(word.lower() for word in words)
        case "upper":
            return "_".join(word.upper() for word in words)
        case "lower":
            return "".join(word.lower() for word in words)
    return " ".join(word[:1].upper() + word[1:] for word in words) if case in ("title", "spaced") else text
