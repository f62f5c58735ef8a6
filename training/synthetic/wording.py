"""How relations are said in English: sentences, noun phrases and questions for each kind of relation.

Training data only: serving never needs to know a relation's kind.
"""

from dataclasses import dataclass

_VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Wording:
    """Patterns of one relation, the most usual first.

    Sentences have `{s}` and `{o}`: `one` for one subject and one object, `objects` for several objects, `subjects`
    for several subjects. Noun phrases and questions have `{x}`, the end that is known: `object_phrases` and
    `object_questions` ask for the object(s), `subject_phrases` and `subject_questions` for the subject(s).
    """

    one: tuple[str, ...]
    objects: tuple[str, ...]
    subjects: tuple[str, ...]
    object_phrases: tuple[str, ...]
    object_questions: tuple[str, ...]
    subject_phrases: tuple[str, ...]
    subject_questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of entity: what it is called, and whether one asks `who` for it."""

    noun: str
    is_person: bool = False

    @property
    def plural(self) -> str:
        """The noun for several."""
        return plural(self.noun)

    @property
    def who(self) -> str:
        """The relative pronoun."""
        return "who" if self.is_person else "that"

    @property
    def its(self) -> str:
        """The possessive."""
        return "their" if self.is_person else "its"

    @property
    def what(self) -> str:
        """The question word."""
        return "Who" if self.is_person else "What"


def plural(noun: str) -> str:
    """The plural of an English noun phrase, by its last word or the last one before `of`."""
    head, of, rest = noun.partition(" of ")
    if of:
        return f"{plural(head)} of {rest}"
    if noun.endswith(("series", "species")):
        return noun
    if noun.endswith("person"):
        return noun[:-6] + "people"
    if noun.endswith("child"):
        return noun + "ren"
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def article(noun: str) -> str:
    """The noun with `a` or `an`."""
    return f"{'an' if noun[0].lower() in _VOWELS else 'a'} {noun}"


def noun_wording(noun: str, subject: Kind, object_: Kind) -> Wording:
    """`capital`, `has_genre`: the object is the subject's `noun`."""
    many = plural(noun)
    return Wording(
        one=(f"The {noun} of {{s}} is {{o}}.", f"{{o}} is the {noun} of {{s}}.",
             f"{{s}} has {{o}} as {subject.its} {noun}."),
        objects=(f"The {many} of {{s}} are {{o}}.", f"{{s}} has the {many} {{o}}.", f"{{o}} are the {many} of {{s}}."),
        subjects=(f"The {noun} of {{s}} is {{o}}.", f"{{o}} is the {noun} of {{s}}.",
                  f"{{s}} all have {{o}} as their {noun}."),
        object_phrases=(f"the {noun} of {{x}}", f"the {many} of {{x}}"),
        object_questions=(f"{object_.what} is the {noun} of {{x}}?", f"{object_.what} are the {many} of {{x}}?",
                          f"Which {many} does {{x}} have?", f"{object_.what} does {{x}} have as {subject.its} {noun}?"),
        subject_phrases=(f"the {subject.plural} whose {noun} is {{x}}", f"the {subject.noun} with the {noun} {{x}}",
                         f"the {subject.plural} with {{x}} as {noun}"),
        subject_questions=(f"Which {subject.plural} have {{x}} as their {noun}?",
                           f"{subject.what} has the {noun} {{x}}?",
                           f"Which {subject.noun} has {{x}} as {subject.its} {noun}?",
                           f"{{x}} is the {noun} of which {subject.noun}?"),
    )  # fmt: skip


def by_wording(past: str, participle: str, subject: Kind, object_: Kind) -> Wording:
    """`directed_by`: the object did it."""
    return Wording(
        one=(f"{{s}} was {participle} by {{o}}.", f"{{o}} {past} {{s}}."),
        objects=(f"{{s}} was {participle} by {{o}}.", f"{{o}} {past} {{s}}."),
        subjects=(f"{{s}} were {participle} by {{o}}.", f"{{o}} {past} {{s}}.",
                  f"{{s}} were all {participle} by {{o}}."),
        object_phrases=(f"the {object_.noun} {object_.who} {past} {{x}}",
                        f"the {object_.plural} {object_.who} {past} {{x}}"),
        object_questions=(f"{object_.what} {past} {{x}}?", f"{object_.what} was {{x}} {participle} by?",
                          f"By {'whom' if object_.is_person else 'what'} was {{x}} {participle}?",
                          f"Which {object_.noun} {past} {{x}}?"),
        subject_phrases=(f"the {subject.plural} {participle} by {{x}}", f"the {subject.noun} that {{x}} {past}",
                         f"the {subject.plural} that {{x}} {past}"),
        subject_questions=(f"Which {subject.plural} were {participle} by {{x}}?", f"What was {participle} by {{x}}?",
                           f"Which {subject.noun} was {participle} by {{x}}?"),
    )  # fmt: skip


def state_wording(be: str, participle: str, preposition: str, subject: Kind, object_: Kind) -> Wording:
    """`located_in`, `born_in`: a participle with a preposition other than `by`."""
    them = "were" if be == "was" else "are"
    said = f"{participle} {preposition}"
    where = (f"Where {be} {{x}} {participle}?",) if preposition in ("in", "at", "near") else ()
    return Wording(
        one=(f"{{s}} {be} {said} {{o}}.",),
        objects=(f"{{s}} {be} {said} {{o}}.",),
        subjects=(f"{{s}} {them} {said} {{o}}.", f"{{s}} {them} all {said} {{o}}."),
        object_phrases=(f"the {object_.noun} {preposition} which {{x}} {be} {participle}",
                        f"the {object_.noun} that {{x}} {be} {said}"),
        object_questions=(f"Which {object_.noun} {be} {{x}} {said}?", f"What {be} {{x}} {said}?", *where,
                          f"{preposition.capitalize()} which {object_.noun} {be} {{x}} {participle}?"),
        subject_phrases=(f"the {subject.plural} {said} {{x}}", f"the {subject.noun} {said} {{x}}"),
        subject_questions=(f"Which {subject.plural} {them} {said} {{x}}?", f"{subject.what} {be} {said} {{x}}?"),
    )  # fmt: skip


def verb_wording(third: str, base: str, subject: Kind, object_: Kind) -> Wording:
    """`borders`, `plays_for`: an active verb in the third person, perhaps with a preposition."""
    return Wording(
        one=(f"{{s}} {third} {{o}}.",),
        objects=(f"{{s}} {third} {{o}}.",),
        subjects=(f"{{s}} {base} {{o}}.", f"{{s}} all {base} {{o}}."),
        object_phrases=(f"the {object_.plural} that {{x}} {third}", f"the {object_.noun} that {{x}} {third}"),
        object_questions=(f"Which {object_.plural} does {{x}} {base}?", f"What does {{x}} {base}?",
                          f"Which {object_.noun} does {{x}} {base}?"),
        subject_phrases=(f"the {subject.plural} that {base} {{x}}", f"the {subject.noun} that {third} {{x}}"),
        subject_questions=(f"Which {subject.plural} {base} {{x}}?", f"{subject.what} {third} {{x}}?",
                           f"Which {subject.noun} {third} {{x}}?"),
    )  # fmt: skip


def role_wording(noun: str, subject: Kind, object_: Kind) -> Wording:
    """`member_of`, `is_parent_of`: the subject is a `noun` of the object."""
    a_noun, many = article(noun), plural(noun)
    return Wording(
        one=(f"{{s}} is {a_noun} of {{o}}.",),
        objects=(f"{{s}} is {a_noun} of {{o}}.",),
        subjects=(f"{{s}} are {many} of {{o}}.", f"The {many} of {{o}} include {{s}}."),
        object_phrases=(f"the {object_.noun} of which {{x}} is {a_noun}",
                        f"the {object_.plural} that {{x}} is {a_noun} of"),
        object_questions=(f"Which {object_.noun} is {{x}} {a_noun} of?", f"What is {{x}} {a_noun} of?",
                          f"Of which {object_.plural} is {{x}} {a_noun}?"),
        subject_phrases=(f"the {many} of {{x}}", f"the {noun} of {{x}}"),
        subject_questions=(f"Which {subject.plural} are {many} of {{x}}?", f"{subject.what} is {a_noun} of {{x}}?",
                           f"{subject.what} are the {many} of {{x}}?"),
    )  # fmt: skip


def label_wording(label: str, subject: Kind, object_: Kind) -> Wording:
    """`drives_on_side`: no form that a sentence could be made of."""
    said = f"{{s}}: {label} {{o}}."
    return Wording(
        one=(said,),
        objects=(said,),
        subjects=(said,),
        object_phrases=(f"the {label} of {{x}}",),
        object_questions=(f"{{x}}: {label}?", f"What is the {label} of {{x}}?"),
        subject_phrases=(f"the {subject.plural} with {label} {{x}}",),
        subject_questions=(f"Which {subject.plural} have {label} {{x}}?",),
    )
