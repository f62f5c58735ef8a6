"""Put together noun phrases and the clauses that modify them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from training.synthetic.plans.nouns import Noun, with_article
from training.synthetic.plans.verbs import VerbPhrase
from training.synthetic.plans.words import Hop


@dataclass(frozen=True, slots=True)
class Clause:
    """Hold what can be said of a subject: a verb phrase and its object; `other` adds `or` and another clause.

    A negated clause has `not`, or `n't` if it is contracted.
    """

    verb: VerbPhrase
    object: str
    is_negated: bool = False
    other: "Clause | None" = None
    is_contracted: bool = False

    def finite(self, many: bool) -> str:
        """Return the clause after a subject."""
        verb = self.verb.negated(many, self.is_contracted) if self.is_negated else self.verb.finite(many)
        text = f"{verb} {self.object}".strip()
        return f"{text} or {self.other.finite(many)}" if self.other is not None else text

    def base(self) -> str:
        """Return the clause after `do`; empty if there is no such form."""
        if self.is_negated or self.other is not None or not self.verb.base:
            return ""
        return f"{self.verb.base} {self.verb.rest} {self.object}".replace("  ", " ").strip()

    def inverted(self, subject: str, many: bool = False) -> str:
        """Return the clause as a question; empty if it is negated."""
        if self.is_negated or self.other is not None:
            return ""
        return f"{self.verb.inverted(subject, many)} {self.object}".strip()


@dataclass(frozen=True, slots=True)
class Modifier:
    """Hold the forms in which a noun can be modified; each says the same.

    Attributes:
        adjective: What stands before the noun.
        posts: Phrases after the noun, such as `with a price over 20`.
        clauses: Clauses, such as `cost more than 20`.
        noun: A noun that takes the place of the own one: `employees` in `employees of Acme`, or `Acme employees`.
        owner: What the nodes belong to, so that `Acme's employees` says the same; a noun of its own applies as well.
    """

    adjective: str = ""
    posts: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    noun: Noun | None = None
    owner: str = ""


@dataclass
class NounPhrase:
    """Describe nodes of a kind.

    Attributes:
        variable: The variable of the nodes.
        kind: Their kind.
        noun: The noun for the kind.
        is_person: Whether the nodes are people.
        modifiers: What describes the nodes.
        hops: The steps that the modifiers take.
    """

    variable: str
    kind: str
    noun: Noun
    is_person: bool
    rng: random.Random
    modifiers: list[Modifier] = field(default_factory=list)
    hops: list[Hop] = field(default_factory=list)

    def text(self, many: bool) -> str:
        """Return the phrase: `open incidents that affected Billing`."""
        return self._render(self.modifiers, many)

    def described(self, many: bool, extra: str = "") -> str:
        """Return the phrase with something between its adjectives and its noun: `best paid`."""
        return self._render(self.modifiers, many, extra)

    def split(self) -> tuple[str, str, Clause] | None:
        """Return the phrase without one of its clauses, in the plural and in the singular, and this clause."""
        places = [place for place, one in enumerate(self.modifiers) if one.clauses and one.noun is None]
        if not places:
            return None
        place = self.rng.choice(places)
        rest = [one for other, one in enumerate(self.modifiers) if other != place]
        if any(not one.adjective for one in rest) and self.rng.random() < 0.3:
            return None
        return self._render(rest, True), self._render(rest, False), self.rng.choice(self.modifiers[place].clauses)

    def owned(self) -> tuple[str, str, str] | None:
        """Return what the nodes belong to, and the phrase without it, in the plural and in the singular."""
        place = next((place for place, one in enumerate(self.modifiers) if one.owner), None)
        if place is None:
            return None
        taken = self.modifiers[place]
        rest = [one for other, one in enumerate(self.modifiers) if other != place]
        own = self.noun
        try:
            self.noun = taken.noun or own
            return taken.owner, self._render(rest, True), self._render(rest, False)
        finally:
            self.noun = own

    def of_people(self, pronouns: Sequence[str]) -> str:
        """Return the phrase as `everyone in Sales`; empty if the nodes are no people, or have adjectives."""
        if not self.is_person or not self.modifiers or any(one.adjective or one.noun for one in self.modifiers):
            return ""
        own = self.noun
        try:
            self.noun = Noun(*(self.rng.choice(pronouns),) * 2)
            return self._render(self.modifiers, False)
        finally:
            self.noun = own

    def as_who(self) -> str:
        """Return the phrase as a question for people: `who in Sales does not know Python`; empty if it is no such."""
        places = [place for place, one in enumerate(self.modifiers) if one.clauses and one.noun is None]
        if not self.is_person or not places:
            return ""
        place = self.rng.choice(places)
        rest = [one for other, one in enumerate(self.modifiers) if other != place]
        if not rest or any(one.noun is not None or not one.posts for one in rest):
            return ""
        posts = (self.rng.choice(one.posts) for one in rest)
        return " ".join(("who", *posts, self.rng.choice(self.modifiers[place].clauses).finite(False)))

    @property
    def is_plain(self) -> bool:
        """Return whether nothing but one clause describes the nodes."""
        return len(self.modifiers) <= 1

    def _render(self, modifiers: list[Modifier], many: bool, extra: str = "") -> str:
        noun = next((one.noun for one in modifiers if one.noun is not None), self.noun)
        before: list[str] = []
        after: list[str] = []
        relative: list[str] = []
        for one in modifiers:
            if one.noun is not None:
                after[:0] = one.posts[:1]
            elif one.adjective and (self.rng.random() < 0.7 or not (one.posts or one.clauses)):
                before.append(one.adjective)
            elif one.posts and (not one.clauses or self.rng.random() < 0.55):
                after.append(_agreeing(self.rng.choice(one.posts), many, self.is_person))
            else:
                relative.append(self.rng.choice(one.clauses).finite(many))
        after.sort(key=_starts_clause)
        who = self.rng.choice(("who", "who", "that")) if self.is_person else self.rng.choice(("that", "that", "which"))
        words = [*before, extra, noun.form(many), _joined(after, self.rng)]
        if relative:
            # `whose price is over 20 and that cost ...`, but `directed by Ann that ran for ...`.
            is_clause = bool(after) and _starts_clause(after[-1])
            words += ["and" if is_clause else "", f"{who} {_joined(relative, self.rng)}"]
        return " ".join(filter(None, words))


_SINGULARS = (
    ("that have ", "that has "),
    ("that are not ", "that is not one of the "),
    ("that aren't ", "that isn't one of the "),
    ("that don't ", "that doesn't "),
    ("that list ", "that lists "),
    ("that count ", "that counts "),
    ("that lack ", "that lacks "),
    ("that include ", "that includes "),
    ("that start ", "that starts "),
    ("that begin ", "that begins "),
    ("that end ", "that ends "),
    ("that contain ", "that contains "),
)


def _agreeing(post: str, many: bool, is_person: bool) -> str:
    """Let a phrase written for a plural subject agree with the noun."""
    if not many:
        for plural, singular in _SINGULARS:
            if post.startswith(plural):
                post = singular + post[len(plural) :]
        pronoun = "their" if is_person else "its"
        post = (
            post.replace(" their ", f" {pronoun} ")
            .replace("excluding those with", "but not one with")
            .replace("except those with", "but not one with")
        )
    return f"who{post[4:]}" if is_person and post.startswith("that ") else post


_CLAUSES = (
    "whose ", "that ", "who ", "where ", "excluding ", "except ", "but ", "other than ", "besides ", "apart from ",
    "not counting ", "not including ", "aside from ",
)  # fmt: skip


def _starts_clause(post: str) -> bool:
    """Return whether a phrase has a verb of its own, so that shorter ones stand before it."""
    return post.startswith(_CLAUSES)


def _joined(parts: list[str], rng: random.Random) -> str:
    if len(parts) < 2:
        return "".join(parts)
    if len(parts) == 2 and rng.random() < 0.15:
        return ", and ".join(parts)
    return " and ".join(parts)


def article(text: str) -> str:
    """Return a noun phrase after `a`, looking past the marks of stated values."""
    plain = text.lstrip("\ue000'\"")
    return f"{with_article(plain).split(' ')[0]} {text}"
