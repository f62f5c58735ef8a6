"""Invent schemas: parts of a domain, named in a style of their own."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import Value, ValueType
from training.synthetic.plans.naming_styles import NamingStyle, choose_style
from training.synthetic.plans.nouns import noun
from training.synthetic.plans.specs import Domain, KindSpec, PropertySpec, RelationSpec, domains
from training.synthetic.plans.values import content_type, invent_values
from training.synthetic.plans.words import KindWords, PropertyWords, RelationWords, WordedSchema

_TITLES = {"title": "title", "code": "code", "handle": "display name", "address": "address", "ip": "address"}
_GENERIC_TYPES = ("HAS", "RELATED_TO", "BELONGS_TO", "CONNECTED_TO")
_SAMPLES = 8
_VALUES = 24
_UNIT_SUFFIXES = {
    "money": ("usd", "eur"), "percent": ("pct", "percent"), "km": ("km",), "kg": ("kg",), "minutes": ("min", "minutes"),
    "hours": ("h", "hours"), "square km": ("km2",), "square metres": ("m2", "sqm"), "metres": ("m",), "cm": ("cm",),
    "GB": ("gb",), "days": ("days",),
}  # fmt: skip
"""Abbreviations in keys of the units of their numbers."""
_TWO_DOMAINS = 0.15  # of the schemas: as in the graph of a whole company, much of the schema is about something else


def invented_schemas(count: int, seed: int) -> Iterator[WordedSchema]:
    """Invent schemas, no two of which are alike."""
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        domain = rng.choice(domains())
        if rng.random() < _TWO_DOMAINS:
            domain = _merged(domain, rng.choice(domains()))
        yield _Invention(f"{domain.name}-{seed}-{number}", domain, rng).schema()


def _merged(first: Domain, second: Domain) -> Domain:
    """Return a domain with the kinds of both; those that both have are the ones of the first."""
    relations = [one for one in second.relations if not {one.source, one.target} & first.kinds.keys()]
    return Domain(first.name, {**second.kinds, **first.kinds}, [*first.relations, *relations])


@dataclass
class _Invention:
    name: str
    domain: Domain
    rng: random.Random
    style: NamingStyle = field(init=False)
    kinds: dict[str, str] = field(default_factory=dict)  # name in the domain -> name in the schema
    kind_words: dict[str, KindWords] = field(default_factory=dict)
    properties: dict[tuple[str, str], PropertyWords] = field(default_factory=dict)
    values: dict[tuple[str, str], Sequence[Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.style = choose_style(self.rng)

    def schema(self) -> WordedSchema:
        """Compose the schema."""
        relations = self._relations()
        used = {end for one in relations for end in (one.source, one.target)}
        specs = [spec for name, spec in self.domain.kinds.items() if name in used or self.rng.random() < 0.1]
        if self.rng.random() < 0.15:
            # A kind from elsewhere, which few questions need.
            other = self.rng.choice(domains())
            specs += [
                spec for spec in [self.rng.choice(list(other.kinds.values()))] if spec.name not in self.domain.kinds
            ]
        kinds = {self._kind_name(spec): spec for spec in specs}
        described = {name: self._kind(name, spec) for name, spec in kinds.items()}
        described_relations, words = self._described_relations(relations, described)
        return WordedSchema(
            self.name, GraphSchema(described, described_relations), self.kind_words, self.properties, words, self.values
        )

    def _relations(self) -> list[RelationSpec]:
        """Choose relationships that are connected, as far as possible."""
        rng, specs = self.rng, list(self.domain.relations)
        wanted = rng.randint(2, len(specs)) if rng.random() < 0.8 else len(specs)
        rng.shuffle(specs)
        chosen = [specs.pop()]
        while len(chosen) < wanted:
            reached = {end for one in chosen for end in (one.source, one.target)}
            near = [one for one in specs if {one.source, one.target} & reached] or specs
            chosen.append(near[0])
            specs.remove(near[0])
        return chosen

    def _kind_name(self, spec: KindSpec) -> str:
        nouns = spec.words.nouns
        chosen = nouns[0] if self.rng.random() > self.style.synonyms else self.rng.choice(nouns)
        name = self.style.kind(chosen.singular)
        if name in self.kind_words:
            name = spec.name
        self.kinds.setdefault(spec.name, name)
        self.kind_words[name] = spec.words
        return name

    def _kind(self, name: str, spec: KindSpec) -> KindSchema:
        rng = self.rng
        count = rng.randint(5, 20) if spec.names.startswith("=") else int(10 ** rng.uniform(1.5, 5))
        found: dict[str, PropertySchema] = {}
        name_property = self._name_key(spec)
        if name_property is not None:
            form = spec.names if spec.names.startswith("=") else f"${spec.names}"
            self._add(found, name, name_property, PropertySpec("", PropertyWords((noun("name"),)), form), count, True)
        chosen = [one for one in spec.properties if rng.random() < 0.75] or list(spec.properties[:1])
        for one in chosen:
            self._add(found, name, self._key(one, spec), one, count)
        if rng.random() < 0.3:
            identifier = self.style.key(f"{spec.words.nouns[0].singular} id" if rng.random() < 0.5 else "id")
            number = PropertySchema(frozenset((ValueType.INTEGER,)), ValueType.INTEGER, count, 1.0, (1, 2, 3))
            found.setdefault(identifier, number)
        return KindSchema(count, found, name_property)

    def _name_key(self, spec: KindSpec) -> str | None:
        own = spec.words.nouns[0].singular
        if spec.names == "code":
            words = self.rng.choice((f"{own} id", f"{own} number", "code", f"{own} code", "id"))
            return self.style.key(words) if self.rng.random() < 0.75 else None
        words = _TITLES.get(spec.names, "name")
        forms = [words, words, words, f"{own} {words}"]
        if spec.words.is_person:
            forms += ["full name", "display name"]
        return self.style.key(self.rng.choice(forms))

    def _key(self, one: PropertySpec, kind: KindSpec | None) -> str:
        rng = self.rng
        nouns = [
            one.key.replace("_", " "),
            *(form.plural if form.is_plural else form.singular for form in one.words.nouns),
        ]
        words = nouns[0] if rng.random() > self.style.synonyms else rng.choice(nouns)
        if one.words.unit in _UNIT_SUFFIXES and rng.random() < 0.15:
            words = f"{words} {rng.choice(_UNIT_SUFFIXES[one.words.unit])}"
        if one.values == "?" and rng.random() < 0.4:
            words = words if words.startswith("is ") else f"is {words}"
        if kind is not None and rng.random() < self.style.owner_in_key:
            words = f"{kind.words.nouns[0].singular} {words}"
        return self.style.key(words)

    def _add(
        self,
        found: dict[str, PropertySchema],
        owner: str,
        key: str,
        one: PropertySpec,
        count: int,
        is_name: bool = False,
    ) -> None:
        if key in found:
            return
        rng = self.rng
        values = invent_values(one.values, _VALUES, rng)
        content = content_type(one.values)
        held = count if rng.random() < 0.6 or is_name else int(count * rng.uniform(0.4, 1.0))
        few = one.values[0] in "~=?" and not is_name
        distinct = (
            min(1.0, len(values) / max(1, held))
            if few
            else rng.uniform(0.8, 1.0)
            if is_name
            else rng.uniform(0.05, 1.0)
        )
        stored, samples = content, tuple(values[:_SAMPLES])
        if content not in (ValueType.STRING, ValueType.LIST, ValueType.BOOLEAN) and rng.random() < 0.08:
            stored, samples = ValueType.STRING, tuple(map(_as_text, samples))
        found[key] = PropertySchema(frozenset((stored,)), content, held, round(distinct, 4), samples)
        self.values[owner, key] = values
        if not is_name:
            nouns = tuple(dict.fromkeys(one.words.nouns))
            self.properties[owner, key] = replace(one.words, nouns=nouns)

    def _described_relations(
        self, relations: Sequence[RelationSpec], kinds: dict[str, KindSchema]
    ) -> tuple[dict[str, RelationshipSchema], dict[tuple[str, str, str], RelationWords]]:
        rng = self.rng
        generic = rng.choice(_GENERIC_TYPES) if rng.random() < 0.07 else ""
        found: dict[str, RelationshipSchema] = {}
        words: dict[tuple[str, str, str], RelationWords] = {}
        for one in relations:
            type_, is_flipped = (generic, False) if generic and rng.random() < 0.4 else self._type(one)
            source, target = self.kinds[one.source], self.kinds[one.target]
            spoken = one.words
            if is_flipped:
                source, target, spoken = target, source, spoken.flipped()
            if any((start, type_, end) in words for start, end in ((source, target), (target, source))):
                continue
            before = found.get(type_)
            ends = (before.ends if before else frozenset()) | {(source, target)}
            properties = dict(before.properties) if before else {}
            count = int(max(kinds[source].count, kinds[target].count) * rng.uniform(0.5, 4))
            # A type is also the owner of its properties, so it needs a name that no kind has.
            if type_ in kinds:
                continue
            for spec in one.properties:
                if rng.random() < 0.7:
                    self._add(properties, type_, self._key(spec, None), spec, count)
            found[type_] = RelationshipSchema(count, ends, properties)
            words[source, type_, target] = spoken
        return found, words

    def _type(self, one: RelationSpec) -> tuple[str, bool]:
        """Return a name for a relationship, and whether it runs in the opposite direction."""
        rng, words, form = self.rng, one.words, self.style.type_form
        if form == "mixed":
            form = rng.choice(("verb", "verb", "noun", "has"))
        if form != "verb":
            options = [
                (spoken, flipped)
                for spoken, flipped in ((words.target_nouns, False), (words.source_nouns, True))
                if spoken
            ]
            if options:
                nouns, is_flipped = rng.choice(options)
                chosen = nouns[0] if rng.random() > self.style.synonyms else rng.choice(nouns)
                text = chosen.singular if not chosen.is_plural or rng.random() < 0.6 else chosen.plural
                return self.style.type(f"has {text}" if form == "has" else text), is_flipped
        is_flipped = rng.random() < 0.25 and bool(words.backward)
        verbs = words.backward if is_flipped else words.forward
        verb = verbs[0] if rng.random() > self.style.synonyms else rng.choice(verbs)
        if not verb.base:
            text = verb.rest if rng.random() < 0.8 else verb.finite(False)
        else:
            text = verb.finite(rng.random() < 0.2)
        return self.style.type(text), is_flipped


def _as_text(value: Value) -> Value:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)
