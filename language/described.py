"""Define what a question asks about as a whole."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Described:
    """Hold the names of what a question asks about as a whole, with and without an article.

    `Who is the president?` asks for somebody, even if the graph has an entity `President`, so that a name after `who`
    needs its article, or the spelling of the graph. A question without a form is nothing but a name.
    """

    names: tuple[str, ...]
    has_form: bool
    is_person: bool
