"""Word a relation in English by its grammatical form, as sentences, noun phrases, and questions.

Only training uses these patterns. In serving, `texts.verbalise` words a relation from its name alone.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from training.synthetic.inflection import counted, plural, with_article

_PLACE_PREPOSITIONS = ("in", "at", "near")


@dataclass(frozen=True, slots=True)
class QuestionPatterns:
    """Hold patterns that ask for the subject or the object of a relation; `{x}` stands for the known entity.

    `questions` are complete questions. `phrases` are noun phrases for the unknown entity in a longer question.
    """

    questions: tuple[str, ...]
    phrases: tuple[str, ...]

    def filled(self, words: Mapping[str, str]) -> "QuestionPatterns":
        """Fill in the named fields, but keep `{x}`."""
        return QuestionPatterns(_filled(self.questions, words), _filled(self.phrases, words))

    def __add__(self, other: "QuestionPatterns") -> "QuestionPatterns":
        return QuestionPatterns(self.questions + other.questions, self.phrases + other.phrases)


@dataclass(frozen=True, slots=True)
class Wording:
    """Hold the patterns for one relation, with the most common pattern first.

    `one`, `objects`, and `subjects` are sentences that contain `{s}` and `{o}`. Use `one` for one subject and one
    object, `objects` for several objects, and `subjects` for several subjects. `forward` asks for the objects of a
    known subject, and `backward` asks for the subjects of a known object.
    """

    one: tuple[str, ...]
    objects: tuple[str, ...]
    subjects: tuple[str, ...]
    forward: QuestionPatterns
    backward: QuestionPatterns


@dataclass(frozen=True, slots=True)
class EntityKind:
    """Describe a kind of entity: the noun for it, and the style of its invented names (`training.synthetic.names`)."""

    noun: str
    name_style: str = "title"

    @property
    def is_person(self) -> bool:
        """Return whether questions refer to these entities with "who"."""
        return self.name_style == "person"


_WORDINGS = TypeAdapter(dict[str, Wording]).validate_python(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
)
"""Wordings by grammatical form; their fields are filled with the nouns and verbs of a relation."""


def word_relation(form: str, words: Sequence[str], subject: EntityKind, object_: EntityKind) -> Wording:
    """Build the patterns for a relation, whose grammatical form determines the words that describe it.

    `noun` (capital) and `role` (member) take a noun. `by` (directed_by) takes a past tense and a participle. `state`
    (located_in) takes `is` or `was`, a participle, and a preposition. `verb` (borders) takes the third person and the
    base form. `label` (anything else) takes the label itself. Raise ValueError for other forms or numbers of words.

    Example:
        >>> word_relation("by", ["wrote", "written"], EntityKind("book"), EntityKind("author", "person")).one
        ('{s} was written by {o}.', '{o} wrote {s}.')
    """
    match form, [*words]:
        case "noun" | "role", [noun]:
            fields = {"noun": noun, "nouns": plural(noun), "a_noun": with_article(noun)}
        case "by", [past, participle]:
            fields = {"past": past, "participle": participle}
        case "state", [be, participle, preposition]:
            fields = {"be": be, "participle": participle, "preposition": preposition}
            fields |= {"are": "were" if be == "was" else "are", "Preposition": preposition.capitalize()}
        case "verb", [third, base]:
            fields = {"third": third, "base": base}
        case "label", [label]:
            fields = {"label": label}
        case _:
            raise ValueError(f"no grammatical form {form!r} of {counted(len(words), 'word')}")
    fields |= _kind_fields(subject, object_)
    pattern = _WORDINGS[form]
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
