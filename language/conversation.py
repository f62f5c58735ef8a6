"""Define what a message takes from the conversation before it, and what is no question at all."""

from dataclasses import dataclass
from enum import StrEnum


class SmallTalk(StrEnum):
    """Name what a message says that asks nothing."""

    GREETING = "greeting"
    FAREWELL = "farewell"
    THANKS = "thanks"


@dataclass(frozen=True, slots=True)
class Reference:
    """Hold a pronoun, or a noun with `this` or `those`, which may refer to something before it.

    Attributes:
        text: What the message says.
        start: Where it begins.
        end: Where it ends.
        noun: The noun behind `this` or `those`; None for a pronoun.
        is_plural: Whether it refers to several things.
        is_possessive: Whether it says whose something is.
        is_place: Whether it stands for a place with its preposition.
        is_person: Whether it refers to a person.
        may_be_bound: Whether it may refer to a noun of the same sentence, as in `List all owners and their pets`.
        place: Which of several things it refers to, from 1, or -1 for the last; 0 if it does not say.
    """

    text: str
    start: int
    end: int
    noun: str | None
    is_plural: bool
    is_possessive: bool = False
    is_place: bool = False
    is_person: bool = False
    may_be_bound: bool = False
    place: int = 0


@dataclass(frozen=True, slots=True)
class Fragment:
    """Hold what a question without a verb is about: `Germany`, behind `in`, for `And in Germany?`.

    Attributes:
        name: What it is about.
        preposition: The preposition before it; empty if there is none.
        noun: The name without an article or a pronoun before it.
        has_pronoun: Whether the name begins with a pronoun, as in `And its population?`
    """

    name: str
    preposition: str
    noun: str
    has_pronoun: bool
