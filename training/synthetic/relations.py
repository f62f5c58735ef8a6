"""Word the relations in a graph, either from a file of wordings or by the grammatical form of their names.

Hand-written wordings describe one particular graph, so training uses them only if the caller passes a file. Without a
file, all wordings are derived from the names. The packaged adapters are trained with the demo graph's file,
`examples/world/relations.toml`, passed with `kgqa train ... --wordings`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError

from language.english.inflection import PAST_TENSES
from language.english.morphology import PREPOSITIONS, RelationKind, is_plural, relation_form
from shared.errors import InvalidInputError, NotFoundError
from training.synthetic.inflection import base_form
from training.synthetic.wording import EntityKind, Wording, word_relation


@dataclass(frozen=True, slots=True)
class Relation:
    """Describe a relation in training data: its name in plain words, its entity kinds, and its patterns."""

    words: str
    subject: EntityKind
    object: EntityKind
    wording: Wording


def parse_relation(text: str, name_styles: Mapping[str, str] | None = None) -> Relation:
    """Parse a relation in the notation `subject form words object`; raise ValueError for anything else.

    `_` stands for a space, and `/` separates the words of the form. `word_relation` lists the forms. `name_styles`
    gives the name style of each entity kind if names are to be invented.

    Example:
        >>> parse_relation("book by wrote/written author").words
        'written by'
    """
    subject_noun, form, said, object_noun = (field.replace("_", " ") for field in text.split())
    styles = name_styles or {}
    subject, object_ = (
        EntityKind(noun, styles[noun]) if noun in styles else EntityKind(noun) for noun in (subject_noun, object_noun)
    )
    words = said.split("/")
    name = {"by": f"{words[-1]} by", "state": " ".join(words[1:]), "role": f"{words[0]} of"}.get(form, words[0])
    return Relation(name, subject, object_, word_relation(form, words, subject, object_))


def relations_by_name(names: Iterable[str], wordings: Mapping[str, Relation]) -> dict[str, Relation]:
    """Map each relation name to its entry in `wordings` or, if there is none, to a wording derived from the name."""
    return {name: wordings.get(name) or derive_relation(name) for name in names}


def derive_relation(name: str) -> Relation:
    """Word a relation by the form of its name; by default, call a subject `one` and an object `thing`."""
    form = relation_form(name)
    subject, object_ = EntityKind("one"), EntityKind("thing")
    kind, words = "label", [form.phrase]
    match form.kind:
        case RelationKind.NOUN:
            # Store the singular, because the patterns form the plural: `starred actors` -> `starred actor`.
            is_regular = is_plural(form.phrase) and form.phrase.endswith("s")
            kind, words = "noun", [base_form(form.phrase) if is_regular else form.phrase]
            object_ = EntityKind(words[0])
        case RelationKind.ROLE:
            kind = "role"
        case RelationKind.VERB:
            third, *rest = form.words
            kind, words = "verb", [form.phrase, " ".join([base_form(third), *rest])]
        case RelationKind.STATE:
            be, *said, last = form.words
            participle = " ".join(said)
            # Only `was` takes a past-tense question: "who directed ...", but "who owns ...".
            if last == "by" and participle and be == "was":
                kind, words = "by", [PAST_TENSES.get(participle, participle), participle]
            elif last in PREPOSITIONS and participle:
                kind, words = "state", [be, participle, last]
    return Relation(form.phrase, subject, object_, word_relation(kind, words, subject, object_))


def _sentence_pattern(pattern: str) -> str:
    if pattern.count("{s}") != 1 or pattern.count("{o}") != 1:
        raise ValueError("a sentence must contain {s} and {o} exactly once each")
    return pattern


_Sentence = Annotated[str, AfterValidator(_sentence_pattern)]


class _Worded(BaseModel):
    """Describe one relation in a wordings file: its form, and sentences to prefer over the patterns of that form."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    form: Annotated[str, AfterValidator(lambda text: parse_relation(text) and text)]
    one: _Sentence | None = None
    objects: _Sentence | None = None
    subjects: _Sentence | None = None

    def relation(self) -> Relation:
        relation = parse_relation(self.form)
        usual = relation.wording
        wording = replace(
            usual,
            one=(*filter(None, [self.one]), *usual.one),
            objects=(*filter(None, [self.objects]), *usual.objects),
            subjects=(*filter(None, [self.subjects]), *usual.subjects),
        )
        return replace(relation, wording=wording)


def read_wordings(file: Path | None) -> dict[str, Relation]:
    """Read hand-written wordings, if there are any, from a TOML file with one table per relation.

    Each table contains `form`, in the notation of `parse_relation`, and optionally the preferred sentence for one
    subject and one object (`one`), several objects (`objects`), or several subjects (`subjects`). Raise NotFoundError
    if the file does not exist, and InvalidInputError if it is not TOML or a table does not have this form.

    Example:
        [area_km2]
        form = "country noun area area"
        one = "{s} has an area of {o} square kilometres."
    """
    if file is None:
        return {}
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
        return {name: worded.relation() for name, worded in _WORDED.validate_python(tables).items()}
    except FileNotFoundError as error:
        raise NotFoundError(f"wordings file not found: {file}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInputError(f"{file}: not a TOML file: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInputError(
            f"{file}, {'.'.join(map(str, first['loc']))}: {first['msg']}; "
            'write form = "subject form words object", such as "book by wrote/written author"'
        ) from error


_WORDED = TypeAdapter(dict[str, _Worded])
