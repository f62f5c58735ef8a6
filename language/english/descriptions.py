"""Tell which questions ask about something as a whole: `Who is Ann Lee?`, `Tell me about the Cliff Stage.`"""

import re

from language.described import Described

_MAX_WORDS = 6  # of a question that is nothing but a name
# Questions are matched with single spaces, and without the marks at their end, so that each form takes linear time.
_ASKED = tuple(
    re.compile(rf"(?:please |can you |could you )?{form} (?P<name>.+)", re.IGNORECASE)
    for form in (
        r"(?P<who>who)(?:'s|’s| is| are| was| were)",
        r"what(?:'s|’s| is| are| was| were)",
        r"(?:tell|show|give) (?:me|us) (?:more |something |everything |all )?(?:about|on)",
        r"what (?:do|can) you (?:know|tell (?:me|us)) (?:about|of)",
        r"what (?:is|do we) known? (?:about|of)",
        r"(?:give me |show me )?(?:some |more |all )?(?:information|info|details|facts) (?:about|on|of)",
        r"describe",
    )
)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_QUOTES = "\"'“”‘’`"


def described(question: str) -> Described | None:
    """Return what a question asks about as a whole; None if its form is another one.

    Example:
        >>> described("Who is the Duke?")
        Described(names=('the Duke', 'Duke'), has_form=True, is_person=True)
    """
    said = " ".join(question.split()).rstrip("?.! ")
    match = next((match for form in _ASKED if (match := form.fullmatch(said)) is not None), None)
    found = match["name"] if match else said
    if not found or (match is None and len(found.split()) > _MAX_WORDS):
        return None
    names = dict.fromkeys(one.strip(_QUOTES) for one in (found, _ARTICLE.sub("", found, count=1)))
    is_person = match is not None and match.groupdict().get("who") is not None
    return Described(tuple(one for one in names if one), match is not None, is_person)
