"""Inflect the verb phrases that link a subject and an object."""

from dataclasses import dataclass

from shared.text import word_set

_BE = {"are": "is", "were": "was"}
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_PARTICIPLES = word_set("born made held kept sold written known run led won taught built shown based bought cast")


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """Hold a verb and what follows it, up to the object.

    Attributes:
        plural: The verb after a plural subject.
        singular: The verb after a singular subject.
        base: The verb after `do` or `did`; empty for forms of `be`.
        auxiliary: The verb that negates and inverts, after a plural and after a singular subject.
        rest: What stands between the verb and the object, such as a preposition.
    """

    plural: str
    singular: str
    base: str
    auxiliary: tuple[str, str]
    rest: str = ""

    def finite(self, many: bool) -> str:
        """Return the phrase after a subject: `works for`."""
        return _joined(self.plural if many else self.singular, self.rest)

    def negated(self, many: bool, contracted: bool = False) -> str:
        """Return the negated phrase: `does not work for`, `isn't located in`."""
        auxiliary = self.auxiliary[0 if many else 1]
        return _joined(f"{auxiliary}n't" if contracted else f"{auxiliary} not", self.base, self.rest)

    def inverted(self, subject: str, many: bool) -> str:
        """Return the phrase in a question: `does Ann work for`."""
        return _joined(self.auxiliary[0 if many else 1], subject, self.base, self.rest)

    @property
    def reduced(self) -> str:
        """Return the phrase without its verb, if what follows can modify a noun: `directed by`."""
        return self.rest if not self.base else ""

    @property
    def is_passive(self) -> bool:
        """Return whether the phrase begins with `be` and a participle."""
        first = self.rest.split(" ")[0]
        return not self.base and (first.endswith("ed") or first in _PARTICIPLES)


def verb_phrase(text: str) -> VerbPhrase:
    """Read a verb phrase in the plural; a past tense is followed by its base.

    Example:
        >>> verb_phrase("work for").finite(False), verb_phrase("wrote/write").inverted("Ann", False)
        ('works for', 'did Ann write')
    """
    first, _, rest = text.partition(" ")
    if first in _BE:
        return VerbPhrase(first, _BE[first], "", (first, _BE[first]), rest)
    past, slash, base = first.partition("/")
    if slash:
        return VerbPhrase(past, past, base, ("did", "did"), rest)
    return VerbPhrase(first, third_person(first), first, ("do", "does"), rest)


def third_person(verb: str) -> str:
    """Return the third person of a verb: `carries`."""
    if verb == "have":
        return "has"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_SIBILANTS) else f"{verb}s"


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
