"""Ask questions about their schemas in the names that other owners would give: short, vague, or in other words.

A model that learns one name for each meaning reads no schema whose names are abbreviations (`rpts_to`), prepositions
(`IN`, `BY`), or nouns of what a relationship leads to (`BOSS`). A schema is therefore shown in several namings, each
consistent in itself, with the same questions.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph.plan.algebra import HasKind, Plan, Property, RelationshipPattern
from graph.plan.content_types import words_of
from graph.plan.patterns import NodePattern
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.traversal import rewrite, walk
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from training.planning.wordnet import WordNet
from training.synthetic.plans.naming_styles import ABBREVIATIONS, cased

_KEY_CASES = ("camel", "snake", "snake", "snake", "lower", "pascal", "upper")
_KIND_CASES = ("pascal", "pascal", "pascal", "snake", "upper", "camel")
_TYPE_CASES = ("upper", "upper", "snake", "camel")
_TYPE_FORMS = ("own", "own", "own", "vague", "vague", "target", "has", "ends")
_PREPOSITIONS = ("in", "of", "by", "with", "from", "to", "at", "for", "on", "under", "about", "after", "over")
_FILLERS = frozenset(("is", "has", "was", "were", "had", "does", "the", "a", "an", "of", "did"))
_ABBREVIATING, _REWORDING = 0.35, 0.3
"""The shares of namings that shorten words, and that use other words."""
_REWORDED = 0.35  # of the words of a naming that uses other words
_SHORTENED = 0.8  # of the words of a naming that shortens words
_LONG = 5  # letters


@dataclass(frozen=True, slots=True)
class Naming:
    """Map the names of a schema to other names."""

    kinds: Mapping[str, str]
    types: Mapping[str, str]
    keys: Mapping[str, str]

    def plan(self, plan: Plan) -> Plan:
        """Return a plan in the other names."""
        return rewrite(plan, self._part)

    def schema(self, schema: GraphSchema) -> GraphSchema:
        """Return a schema in the other names; relationship types that get one name become one type."""
        kinds = {
            self.kinds[name]: replace(
                kind, properties=self._properties(kind), name_property=self.keys.get(kind.name_property or "")
            )
            for name, kind in schema.kinds.items()
        }
        relationships: dict[str, RelationshipSchema] = {}
        for type_, one in schema.relationships.items():
            ends = frozenset((self.kinds[source], self.kinds[target]) for source, target in one.ends)
            properties = self._properties(one)
            if (before := relationships.get(self.types[type_])) is not None:
                ends, properties = ends | before.ends, {**before.properties, **properties}
            relationships[self.types[type_]] = RelationshipSchema(one.count, ends, properties)
        return replace(schema, kinds=kinds, relationships=relationships)

    def _properties(self, owner: KindSchema | RelationshipSchema) -> dict[str, PropertySchema]:
        return {self.keys[key]: one for key, one in owner.properties.items()}

    def _part(self, part: Any) -> Any:
        match part:
            case NodePattern():
                return replace(part, kinds=tuple(self.kinds[kind] for kind in part.kinds))
            case RelationshipPattern():
                return replace(part, types=tuple(self.types[type_] for type_ in part.types))
            case HasKind():
                return replace(part, kind=self.kinds[part.kind])
            case Property():
                return replace(part, key=self.keys.get(part.key, part.key))
        return None


def choose_naming(schema: GraphSchema, rng: random.Random, words: WordNet) -> Naming:
    """Choose other names for a schema: one style for all of them."""
    change = _word_changer(rng, words)
    keys = sorted(schema.node_keys | schema.relationship_keys)
    kinds = _distinct(sorted(schema.kinds), _writer(change, rng.choice(_KIND_CASES)))
    types = _types(schema, rng, change)
    return Naming(kinds, types, _distinct(keys, _writer(change, rng.choice(_KEY_CASES))))


def renamed_questions(
    questions: PlanQuestionSet, namings: int, times: int, seed: int, words: WordNet | None = None
) -> PlanQuestionSet:
    """Ask each question `times` over its schema in other names; each schema gets `namings` of them."""
    rng, words = random.Random(seed), words or WordNet()
    schemas: dict[str, GraphSchema] = {}
    of_schema: dict[str, list[tuple[str, Naming]]] = {}
    for name, schema in questions.schemas.items():
        chosen = [choose_naming(schema, rng, words) for _ in range(namings)]
        of_schema[name] = [(f"{name} renamed {number}", naming) for number, naming in enumerate(chosen)]
        schemas |= {new: naming.schema(schema) for new, naming in of_schema[name]}
    asked: list[PlanQuestion] = []
    for one in questions.questions:
        if not _has_known_names(one.plan, questions.schemas[one.schema]):
            continue
        for name, naming in rng.sample(of_schema[one.schema], min(times, namings)):
            asked.append(replace(one, plan=naming.plan(one.plan), schema=name))
    return PlanQuestionSet(schemas, asked)


def _has_known_names(plan: Plan, schema: GraphSchema) -> bool:
    """Return whether all properties of a plan are properties of the schema, and not columns or parts of values."""
    known = schema.node_keys | schema.relationship_keys
    return all(one.key in known for one in walk(plan) if isinstance(one, Property))


def _word_changer(rng: random.Random, words: WordNet) -> Callable[[Sequence[str]], list[str]]:
    """Return what a naming does to the words of a name; equal words change equally."""
    changed: dict[str, str] = {}
    is_short, is_reworded = rng.random() < _ABBREVIATING, rng.random() < _REWORDING
    shorten = rng.choice((_without_vowels, _beginning))

    def change(name: Sequence[str]) -> list[str]:
        for word in name:
            if word in changed:
                continue
            synonyms = words.synonyms(word) if is_reworded and rng.random() < _REWORDED else ()
            new = rng.choice(synonyms[:3]) if synonyms else word
            if is_short and rng.random() < _SHORTENED:
                new = ABBREVIATIONS.get(new, shorten(new))
            changed[word] = new
        return [changed[word] for word in name]

    return change


def _without_vowels(word: str) -> str:
    return word[0] + re.sub("[aeiou]", "", word[1:]) if len(word) >= _LONG else word


def _beginning(word: str) -> str:
    return word[:4] if len(word) > _LONG else word


def _writer(change: Callable[[Sequence[str]], list[str]], case: str) -> Callable[[str], str]:
    return lambda name: cased(" ".join(change(words_of(name))) or name, case) or name


def _distinct(names: Sequence[str], write: Callable[[str], str]) -> dict[str, str]:
    """Write names so that no two are equal."""
    found: dict[str, str] = {}
    for name in names:
        new = write(name) if name else name
        while new in found.values():
            new += "2"
        found[name] = new
    return found


def _types(schema: GraphSchema, rng: random.Random, change: Callable[[Sequence[str]], list[str]]) -> dict[str, str]:
    """Name relationship types in one form, unless it would make two of them one that connect the same kinds."""
    form, case = rng.choice(_TYPE_FORMS), rng.choice(_TYPE_CASES)
    pairs = Counter(frozenset(pair) for one in schema.relationships.values() for pair in one.ends)
    taken: dict[str, set[frozenset[str]]] = {}
    found: dict[str, str] = {}
    for type_, one in sorted(schema.relationships.items()):
        joined = {frozenset(pair) for pair in one.ends}
        own = change(words_of(type_)) or [type_]
        # The name of a relationship within a kind is all that tells its direction.
        is_free = all(len(pair) == 2 and (pairs[pair] == 1 or form == "vague") for pair in joined)
        words = _type_words(form, own, one, rng, change) if is_free else own
        new = cased(" ".join(words), case)
        if not taken.get(new, set()).isdisjoint(joined) or (new in taken and form != "vague"):
            new = cased(" ".join(own), case)
            while new in taken:
                new += "2"
        taken.setdefault(new, set()).update(joined)
        found[type_] = new
    return found


def _type_words(
    form: str,
    own: Sequence[str],
    one: RelationshipSchema,
    rng: random.Random,
    change: Callable[[Sequence[str]], list[str]],
) -> Sequence[str]:
    source, target = sorted(one.ends)[0] if one.ends else ("", "")
    match form:
        case "vague":
            said = [word for word in own if word in _PREPOSITIONS]
            return said[-1:] or [rng.choice(_PREPOSITIONS[:8])]
        case "target" if target:
            return change(words_of(target))
        case "has" if target:
            return ["has", *change(words_of(target))]
        case "ends" if target:
            return [*change(words_of(source)), *change(words_of(target))]
    return [word for word in own if word not in _FILLERS] or own
