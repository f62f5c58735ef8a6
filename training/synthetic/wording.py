"""Word a relation in English by its grammatical form: sentences for texts, noun phrases and questions for questions.

Only training uses these patterns. Serving words a relation from its name alone (`shared.verbalise`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.verbalise.morphology import counted, plural, with_article

_PLACE_PREPOSITIONS = ("in", "at", "near")


@dataclass(frozen=True, slots=True)
class QuestionPatterns:
    """Patterns that ask for one end of a relation, each with `{x}` once, in place of the other end.

    `questions` are whole questions; `phrases` are noun phrases that stand for the unknown end in a longer question.
    """

    questions: tuple[str, ...]
    phrases: tuple[str, ...]

    def filled(self, words: Mapping[str, str]) -> "QuestionPatterns":
        """Replace the named fields, but keep `{x}`."""
        return QuestionPatterns(_filled(self.questions, words), _filled(self.phrases, words))

    def __add__(self, other: "QuestionPatterns") -> "QuestionPatterns":
        return QuestionPatterns(self.questions + other.questions, self.phrases + other.phrases)


@dataclass(frozen=True, slots=True)
class Wording:
    """Patterns for one relation, the most common first.

    Sentences contain `{s}` and `{o}`: `one` takes one subject and one object, `objects` several objects, `subjects`
    several subjects. `forward` asks for objects of a known subject, `backward` for subjects of a known object.
    """

    one: tuple[str, ...]
    objects: tuple[str, ...]
    subjects: tuple[str, ...]
    forward: QuestionPatterns
    backward: QuestionPatterns


@dataclass(frozen=True, slots=True)
class EntityKind:
    """A kind of entity: its noun, and the style of its invented names (`training.synthetic.names`)."""

    noun: str
    name_style: str = "title"

    @property
    def is_person(self) -> bool:
        """Return whether questions ask for these entities with "who"."""
        return self.name_style == "person"


_NOUN = Wording(
    one=("The {noun} of {s} is {o}.", "{o} is the {noun} of {s}.", "{s} has {o} as {its} {noun}."),
    objects=("The {nouns} of {s} are {o}.", "{s} has the {nouns} {o}.", "{o} are the {nouns} of {s}."),
    subjects=("The {noun} of {s} is {o}.", "{o} is the {noun} of {s}.", "{s} all have {o} as their {noun}."),
    forward=QuestionPatterns(
        ("{what_object} is the {noun} of {x}?", "{what_object} are the {nouns} of {x}?",
         "Which {nouns} does {x} have?", "{what_object} does {x} have as {its} {noun}?"),
        ("the {noun} of {x}", "the {nouns} of {x}"),
    ),
    backward=QuestionPatterns(
        ("Which {subjects} have {x} as their {noun}?", "{what_subject} has the {noun} {x}?",
         "Which {subject} has {x} as {its} {noun}?", "{x} is the {noun} of which {subject}?"),
        ("the {subjects} whose {noun} is {x}", "the {subject} with the {noun} {x}",
         "the {subjects} with {x} as {noun}"),
    ),
)  # fmt: skip
_BY = Wording(
    one=("{s} was {participle} by {o}.", "{o} {past} {s}."),
    objects=("{s} was {participle} by {o}.", "{o} {past} {s}."),
    subjects=("{s} were {participle} by {o}.", "{o} {past} {s}.", "{s} were all {participle} by {o}."),
    forward=QuestionPatterns(
        ("{what_object} {past} {x}?", "{what_object} was {x} {participle} by?", "By {whom} was {x} {participle}?",
         "Which {object} {past} {x}?"),
        ("the {object} {that_object} {past} {x}", "the {objects} {that_object} {past} {x}"),
    ),
    backward=QuestionPatterns(
        ("Which {subjects} were {participle} by {x}?", "What was {participle} by {x}?",
         "Which {subject} was {participle} by {x}?"),
        ("the {subjects} {participle} by {x}", "the {subject} that {x} {past}", "the {subjects} that {x} {past}"),
    ),
)  # fmt: skip
_STATE = Wording(
    one=("{s} {be} {participle} {preposition} {o}.",),
    objects=("{s} {be} {participle} {preposition} {o}.",),
    subjects=("{s} {are} {participle} {preposition} {o}.", "{s} {are} all {participle} {preposition} {o}."),
    forward=QuestionPatterns(
        ("Which {object} {be} {x} {participle} {preposition}?", "What {be} {x} {participle} {preposition}?",
         "Where {be} {x} {participle}?", "{Preposition} which {object} {be} {x} {participle}?"),
        ("the {object} {preposition} which {x} {be} {participle}",
         "the {object} that {x} {be} {participle} {preposition}"),
    ),
    backward=QuestionPatterns(
        ("Which {subjects} {are} {participle} {preposition} {x}?",
         "{what_subject} {be} {participle} {preposition} {x}?"),
        ("the {subjects} {participle} {preposition} {x}", "the {subject} {participle} {preposition} {x}"),
    ),
)  # fmt: skip
_VERB = Wording(
    one=("{s} {third} {o}.",),
    objects=("{s} {third} {o}.",),
    subjects=("{s} {base} {o}.", "{s} all {base} {o}."),
    forward=QuestionPatterns(
        ("Which {objects} does {x} {base}?", "What does {x} {base}?", "Which {object} does {x} {base}?"),
        ("the {objects} that {x} {third}", "the {object} that {x} {third}"),
    ),
    backward=QuestionPatterns(
        ("Which {subjects} {base} {x}?", "{what_subject} {third} {x}?", "Which {subject} {third} {x}?"),
        ("the {subjects} that {base} {x}", "the {subject} that {third} {x}"),
    ),
)
_ROLE = Wording(
    one=("{s} is {a_noun} of {o}.",),
    objects=("{s} is {a_noun} of {o}.",),
    subjects=("{s} are {nouns} of {o}.", "The {nouns} of {o} include {s}."),
    forward=QuestionPatterns(
        ("Which {object} is {x} {a_noun} of?", "What is {x} {a_noun} of?", "Of which {objects} is {x} {a_noun}?"),
        ("the {object} of which {x} is {a_noun}", "the {objects} that {x} is {a_noun} of"),
    ),
    backward=QuestionPatterns(
        ("Which {subjects} are {nouns} of {x}?", "{what_subject} is {a_noun} of {x}?",
         "{what_subject} are the {nouns} of {x}?"),
        ("the {nouns} of {x}", "the {noun} of {x}"),
    ),
)  # fmt: skip
_LABEL = Wording(
    one=("{s}: {label} {o}.",),
    objects=("{s}: {label} {o}.",),
    subjects=("{s}: {label} {o}.",),
    forward=QuestionPatterns(("{x}: {label}?", "What is the {label} of {x}?"), ("the {label} of {x}",)),
    backward=QuestionPatterns(("Which {subjects} have {label} {x}?",), ("the {subjects} with {label} {x}",)),
)


def word_relation(form: str, words: Sequence[str], subject: EntityKind, object_: EntityKind) -> Wording:
    """Build the patterns of a relation.

    Args:
        form: The grammatical form, which fixes the words:
            `noun` (capital) and `role` (member) take a noun,
            `by` (directed_by) a past tense and a participle,
            `state` (located_in) `is` or `was`, a participle, and a preposition,
            `verb` (borders) the third person and the base form,
            `label` (anything else) the label itself.
        words: The words of the form.
        subject: The kind of the relation's subjects.
        object_: The kind of its objects.

    Raises:
        ValueError: There is no such form, or it takes other words.

    Example:
        >>> word_relation("by", ["wrote", "written"], EntityKind("book"), EntityKind("author", "person")).one
        ('{s} was written by {o}.', '{o} wrote {s}.')
    """
    match form, [*words]:
        case "noun", [noun]:
            pattern, fields = _NOUN, {"noun": noun, "nouns": plural(noun)}
        case "role", [noun]:
            pattern, fields = _ROLE, {"noun": noun, "nouns": plural(noun), "a_noun": with_article(noun)}
        case "by", [past, participle]:
            pattern, fields = _BY, {"past": past, "participle": participle}
        case "state", [be, participle, preposition]:
            pattern, fields = _STATE, {"be": be, "participle": participle, "preposition": preposition}
            fields |= {"are": "were" if be == "was" else "are", "Preposition": preposition.capitalize()}
        case "verb", [third, base]:
            pattern, fields = _VERB, {"third": third, "base": base}
        case "label", [label]:
            pattern, fields = _LABEL, {"label": label}
        case _:
            raise ValueError(f"no grammatical form {form!r} of {counted(len(words), 'word')}")
    fields |= _kind_fields(subject, object_)
    asks_where = fields.get("preposition", "in") in _PLACE_PREPOSITIONS
    questions = tuple(q for q in pattern.forward.questions if asks_where or not q.startswith("Where "))
    return Wording(
        _filled(pattern.one, fields),
        _filled(pattern.objects, fields),
        _filled(pattern.subjects, fields),
        QuestionPatterns(questions, pattern.forward.phrases).filled(fields),
        pattern.backward.filled(fields),
    )


def _kind_fields(subject: EntityKind, object_: EntityKind) -> dict[str, str]:
    return {
        "subject": subject.noun,
        "subjects": plural(subject.noun),
        "what_subject": "Who" if subject.is_person else "What",
        "its": "their" if subject.is_person else "its",
        "object": object_.noun,
        "objects": plural(object_.noun),
        "what_object": "Who" if object_.is_person else "What",
        "that_object": "who" if object_.is_person else "that",
        "whom": "whom" if object_.is_person else "what",
    }


def _filled(patterns: tuple[str, ...], words: Mapping[str, str]) -> tuple[str, ...]:
    fields = {"s": "{s}", "o": "{o}", "x": "{x}", **words}
    return tuple(pattern.format_map(fields) for pattern in patterns)
