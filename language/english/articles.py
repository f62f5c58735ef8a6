"""Tell which names of places take the definite article: `the Netherlands`, `the United Kingdom`."""

import re

# Names of companies and works with such words take none: `United Airlines`, `Banana Republic`.
_TAKES_THE = re.compile(
    r"""
    United\ (?:Kingdom|Nations|Provinces|States(?:\ of\ America)?|Arab\ Emirates|Mexican\ States)
    | (?:[A-Z][\w'-]+\ )* (?:[A-Z]\w*(?:ab|ak|al|an|ch|ese|ic|ish)|People's) \ (?:Republic|Federation)(?:\ of\ .+)?
    | (?:Republic|Principality|Sultanate|Commonwealth|Federated\ States)\ of\ .+
    | (?:[A-Z][\w'-]+\ )+ (?:Islands|Isles|Antilles)
    | Netherlands | Philippines | Bahamas | Maldives | Comoros | Gambia | Balkans | Isle\ of\ Man
    | (?:African|European|Soviet)\ Union | Arab\ League
    """,
    re.VERBOSE,
)
_KIND = re.compile(r"\bthe \w+ \0")


def takes_article(name: str) -> bool:
    """Return whether a name takes `the` within a sentence.

    Example:
        >>> takes_article("United States"), takes_article("United Airlines"), takes_article("France")
        (True, False, False)
    """
    return bool(_TAKES_THE.fullmatch(name))


def is_apposition(clause: str) -> bool:
    """Return whether a noun such as `the country` stands before the name, which is a NUL in the clause."""
    return bool(_KIND.search(clause))


def with_the(name: str) -> str:
    """Return a name, behind `the` if it takes the article."""
    return f"the {name}" if takes_article(name) else name


def capitalised(text: str, name: str) -> str:
    """Return a sentence with a capital if it begins with the article of a name."""
    return f"T{text[1:]}" if takes_article(name) and text.startswith(f"the {name}") else text
