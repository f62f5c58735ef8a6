"""Find the pronoun in a question, and ask back what it refers to."""

from collections.abc import Callable

from language.conversation import Reference
from language.question import Question


def find_pronoun(question: Question, has_noun: Callable[[str], bool] = lambda noun: False) -> Reference | None:
    """Return the first pronoun of a question, or `those films` or `that film` if the noun is known; None without one.

    `those films` refers to several things even if the noun is unknown.
    """
    return next(
        (one for one in question.references if one.noun is None or one.is_plural or has_noun(one.noun)),
        None,
    )


def question_back(pronoun: Reference) -> str:
    """Ask what a pronoun refers to."""
    asked, end = ("to whom", "refers") if pronoun.is_person else ("what", "refers to")
    return f"I don't know {asked} “{pronoun.text}” {end}. Please ask again with the name."
