"""Describe nodes by their relationships."""

import random

from graph.plan.algebra import Comparison, Constant, ListOf, Property
from graph.plan.values import ValueType
from training.synthetic.plans.clauses import Clause, Modifier, NounPhrase, article
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.nouns import Noun
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.property_conditions import PropertyConditions
from training.synthetic.plans.stating import ValueStater
from training.synthetic.plans.verbs import VerbPhrase, verb_phrase
from training.synthetic.plans.wordings import Split, part_wordings
from training.synthetic.plans.words import Hop, WordedSchema

_ARE_IN = verb_phrase("are in")


class Describer:
    """Build noun phrases over one schema."""

    def __init__(self, schema: WordedSchema, split: Split, rng: random.Random) -> None:
        self.schema = schema
        self.split = split
        self.rng = rng
        self.stater = ValueStater(schema, rng)
        self.properties = PropertyConditions(schema, self.stater, split, rng)

    def phrase(
        self, pattern: Pattern, kind: str, modifiers: int, depth: int = 1, repeats: bool = True, back: Hop | None = None
    ) -> NounPhrase:
        """Add a node with conditions, and return the phrase for it.

        Args:
            pattern: The pattern, which the node and its conditions become part of.
            kind: The kind of the node.
            modifiers: The number of conditions; fewer if the schema has too little to say.
            depth: How many relationships may lead away from the node.
            repeats: Whether a relationship may lead to several nodes, so that the node may match repeatedly.
            back: A step that leads back to where the node was reached from, and that conditions do not take.
        """
        found = self.plain(pattern, kind)
        found.hops += [back] if back is not None else []
        for _ in range(modifiers):
            wants_relation = depth > 0 and self.rng.random() < 0.5
            before = pattern.copy()
            try:
                found.modifiers.append(self.modifier(pattern, found, depth, repeats, wants_relation))
            except NothingToSayError:
                pattern.restore(before)
        return found

    def plain(self, pattern: Pattern, kind: str) -> NounPhrase:
        """Add a node, and return the phrase for it."""
        words = self.schema.kinds[kind]
        noun = words.nouns[0] if self.rng.random() < 0.55 else self.rng.choice(words.nouns)
        return NounPhrase(pattern.node(kind), kind, noun, words.is_person, self.rng)

    def modifier(self, pattern: Pattern, phrase: NounPhrase, depth: int, repeats: bool, by_relation: bool) -> Modifier:
        """Add a condition on a node."""
        found = self._modifier(pattern, phrase, depth, repeats, by_relation)
        if not (found.adjective or found.posts or found.clauses or found.noun):
            raise NothingToSayError
        if found.noun and any(one.noun for one in phrase.modifiers):
            raise NothingToSayError  # nodes have one noun only
        return found

    def _modifier(self, pattern: Pattern, phrase: NounPhrase, depth: int, repeats: bool, by_relation: bool) -> Modifier:
        if not by_relation:
            return self.properties.describe(pattern, phrase.variable, phrase.kind)
        hop = self.hop(phrase.kind)
        if hop in phrase.hops:
            raise NothingToSayError
        phrase.hops.append(hop)
        roll = self.rng.random()
        if roll < 0.09:
            return self._without(pattern, phrase, hop)
        if roll < 0.14:
            return self._not_with(pattern, phrase, hop)
        if roll < 0.18:
            return self._neither(pattern, phrase, hop)
        if roll < 0.24:
            return self._one_of_two(pattern, phrase, hop)
        if roll < 0.29 and repeats:
            return self._both(pattern, phrase, hop)
        if roll < 0.45 and (far := self._far(pattern, phrase, hop)) is not None:
            return far
        return self.related(pattern, phrase, hop, depth, repeats)

    def negated(self, pattern: Pattern, phrase: NounPhrase) -> Modifier:
        """Forbid a relationship of a node, or one with a node that has a name, as in `that does not border China`."""
        hop, roll = self.hop(phrase.kind), self.rng.random()
        if roll < 0.25:
            found = self._neither(pattern, phrase, hop)
        elif hop not in phrase.hops and roll < 0.5:
            found = self._without(pattern, phrase, hop)
        else:
            found = self._not_with(pattern, phrase, hop)
        if not (found.posts or found.clauses):
            raise NothingToSayError
        return found

    def hop(self, kind: str) -> Hop:
        """Choose a step from a kind."""
        hops = self.schema.hops[kind]
        if not hops:
            raise NothingToSayError
        return self.rng.choice(hops)

    def related(self, pattern: Pattern, phrase: NounPhrase, hop: Hop, depth: int, repeats: bool) -> Modifier:
        """Require a relationship to a node with a name, or to a node with a description."""
        rng = self.rng
        named = self.schema.name_property(hop.end) is not None and (not repeats or rng.random() < 0.68)
        if not named and not repeats:
            raise NothingToSayError
        if named:
            other, text = self.named(pattern, hop.end)
            many = False
        else:
            inner = self.phrase(pattern, hop.end, rng.choice((1, 1, 1, 0)), depth - 1, back=hop.reversed())
            other, many = inner.variable, rng.random() < 0.35
            text = inner.text(True) if many else rng.choice(("a", "a", "any", "some")) + " " + inner.text(False)
            text = article(text[2:]) if text.startswith("a ") else text
            pattern.repeats = True
        has_values = self.schema.relationship_keys(hop.type, *NUMBERS, *DATES, ValueType.STRING)
        with_link = bool(has_values) and rng.random() < 0.3 and self._is_only_pair(hop)
        link = pattern.follow(phrase.variable, hop, other, with_link)
        tail = f" {self.properties.describe_link(pattern, link, hop.type)}" if with_link else ""
        return self.said(hop, text, many, tail, is_named=named)

    def _is_only_pair(self, hop: Hop) -> bool:
        return len(self.schema.schema.relationships[hop.type].ends) == 1

    def said(self, hop: Hop, text: str, many: bool, tail: str = "", is_named: bool = True) -> Modifier:
        """Say that a node has a relationship with what `text` names."""
        rng, words = self.rng, hop.words
        clauses = [Clause(verb, text + tail) for verb in words.forward]
        posts = [f"{verb.reduced} {text}{tail}" for verb in words.forward if verb.is_passive]
        posts += [f"{where} {text}{tail}" for verb in words.forward if (where := _place(verb))]
        if is_named:
            # Nothing can follow the gap but the words for the relationship itself.
            posts += [
                f"that {text} {verb.finite(many)}{tail}" for verb in words.backward if verb.base not in ("", "have")
            ]
        if not tail and is_named and words.target_nouns:
            role = rng.choice(words.target_nouns)
            name = "nouns" if role.is_plural else "noun"
            wording = rng.choice(part_wordings("relation", name, self.split))
            posts.append(wording.replace("{role}", role.form(role.is_plural)).replace("{o}", text))
        is_named = is_named and not tail
        if is_named and words.source_nouns and rng.random() < 0.3:
            return self._role(rng.choice(words.source_nouns), text)
        if not clauses and not posts:
            raise NothingToSayError
        is_only = is_named and hop.start != hop.end and self._is_only_way(hop)
        adjective = self._adjective(text, 0.15) if is_only else ""
        return Modifier(adjective, tuple(posts), tuple(clauses), owner=text if is_only else "")

    def _role(self, noun: Noun, text: str) -> Modifier:
        """Say that nodes have a role for what `text` names: `members of NATO`, `NATO members`."""
        if len(text.split()) < 4 and not text.startswith(("the ", "a ", "an ")) and self.rng.random() < 0.4:
            name = self.stater.as_adjective(text)
            return Modifier(noun=Noun(f"{name} {noun.singular}", f"{name} {noun.plural}"))
        return Modifier(noun=noun if noun.is_plural else _as_many(noun), posts=(f"of {text}",), owner=text)

    def _is_only_way(self, hop: Hop) -> bool:
        """Return whether nothing else connects the two kinds, so that `Acme employees` is clear."""
        return sum(one.end == hop.end for one in self.schema.hops[hop.start]) == 1

    def _far(self, pattern: Pattern, phrase: NounPhrase, hop: Hop) -> Modifier | None:
        """Require that a node belongs to what belongs to a node with a name, as in `airports in Peru`."""
        seconds = [
            one for one in self.schema.hops[hop.end]
            if one.end not in (phrase.kind, hop.end) and self._places(one) and self.schema.name_property(one.end)
            and not any(direct.end == one.end for direct in self.schema.hops[phrase.kind])
        ]  # fmt: skip
        if hop.end == phrase.kind or not seconds or not (self._places(hop) or hop.words.source_nouns):
            return None
        second = self.rng.choice(seconds)
        middle = pattern.node(hop.end)
        pattern.follow(phrase.variable, hop, middle)
        other, text = self.named(pattern, second.end)
        pattern.follow(middle, second, other)
        where = self.rng.choice(("in", "in", "in", "from", "of", "at", "within"))
        if hop.words.source_nouns and (not self._places(hop) or self.rng.random() < 0.5):
            return self._role(self.rng.choice(hop.words.source_nouns), self._inner(hop.end, where, text))
        adjective = self._adjective(text, 0.2)
        return Modifier(adjective, (f"{where} {text}",), (Clause(_ARE_IN, text),), owner=text)

    def _inner(self, kind: str, where: str, text: str) -> str:
        """Refer to all nodes of a kind in a place, by the place alone or in full: `Peru`, `departments in Peru`."""
        plural = self.rng.choice(self.schema.kinds[kind].nouns).plural
        full = f"{plural} {where} {text}"
        adjective = self._adjective(text, 1.0)
        return self.rng.choice((text, full, f"{adjective} {plural}" if adjective else full))

    def _adjective(self, text: str, often: float) -> str:
        """State a name before a noun, if it is short; more often if there is an adjective for the place."""
        if len(text.split()) > 2 or text.startswith(("the ", "a ", "an ")):
            return ""
        found = self.stater.as_adjective(text)
        return found if self.rng.random() < (often if found == text else max(often, 0.4)) else ""

    def _places(self, hop: Hop) -> bool:
        """Return whether a step leads to what contains the node, such as a city or a department."""
        verbs = hop.words.forward
        is_within = any(_place(verb) or verb.base == "belong" or verb.rest == "part of" for verb in verbs)
        return is_within and not self.schema.kinds[hop.end].is_person

    def named(self, pattern: Pattern, kind: str) -> tuple[str, str]:
        """Add a node with a name, and return its variable and the words that refer to it."""
        variable = pattern.node(kind)
        return variable, self.require_name(pattern, variable, kind)

    def require_name(self, pattern: Pattern, variable: str, kind: str) -> str:
        """Require that a node has a name, and return the words that refer to it."""
        key = self.schema.name_property(kind)
        if key is None:
            raise NothingToSayError
        name = self.stater.choose_text(kind, key)
        pattern.require(Comparison("=", Property(variable, key), Constant(name)))
        return self.stater.named(kind, name)

    def _without(self, pattern: Pattern, phrase: NounPhrase, hop: Hop) -> Modifier:
        rng = self.rng
        pattern.forbid(phrase.variable, hop, None)
        noun = rng.choice(self.schema.kinds[hop.end].nouns)
        posts: list[str] = []
        # `employees without companies` is clear only if nothing else connects the two kinds.
        if sum(one.end == hop.end for one in self.schema.hops[phrase.kind]) == 1 and hop.end != phrase.kind:
            chosen = rng.choice(hop.words.target_nouns) if hop.words.target_nouns and rng.random() < 0.5 else noun
            wording = rng.choice(part_wordings("relation", "none", self.split))
            others = (
                chosen.plural
                if "no {" in wording or "any" in wording or "zero" in wording or chosen.is_plural
                else article(chosen.singular)
            )
            posts.append(wording.replace("{others}", others))
        contracted = rng.random() < 0.5
        objects = (f"any {noun.plural}", article(noun.singular))
        clauses = [Clause(verb, text, True, is_contracted=contracted) for text in objects for verb in hop.words.forward]
        return Modifier("", tuple(posts), tuple(clauses))

    def _not_with(self, pattern: Pattern, phrase: NounPhrase, hop: Hop) -> Modifier:
        key = self.schema.name_property(hop.end)
        if key is None:
            raise NothingToSayError
        name = self.stater.choose_text(hop.end, key)
        pattern.forbid(phrase.variable, hop, (key, name))
        text = self.stater.named(hop.end, name)
        contracted = self.rng.random() < 0.5
        clauses = [Clause(verb, text, True, is_contracted=contracted) for verb in hop.words.forward]
        posts = [f"not {verb.reduced} {text}" for verb in hop.words.forward if verb.is_passive]
        if self._places(hop) and (where := next(filter(None, map(_place, hop.words.forward)), "in")):
            posts += [f"not {where} {text}", f"outside {'of ' if self.rng.random() < 0.3 else ''}{text}"]
        if hop.words.source_nouns and self.rng.random() < 0.4:
            noun = self.rng.choice(hop.words.source_nouns)
            posts += [f"that are not {noun.plural} of {text}", f"that aren't {noun.plural} of {text}"]
        return Modifier("", tuple(posts), tuple(clauses))

    def _neither(self, pattern: Pattern, phrase: NounPhrase, hop: Hop) -> Modifier:
        """Forbid a relationship with each of two nodes: `that border neither Peru nor Chile`."""
        names, key = self._two_names(hop)
        for name in names:
            pattern.forbid(phrase.variable, hop, (key, name))
        first, second = (self.stater.quoted(name) for name in names)
        neither, either = f"neither {first} nor {second}", self.rng.choice(("{} or {}", "either {} or {}"))
        contracted = self.rng.random() < 0.5
        clauses = [Clause(verb, neither) for verb in hop.words.forward]
        clauses += [
            Clause(verb, either.format(first, second), True, is_contracted=contracted) for verb in hop.words.forward
        ]
        posts = [f"{verb.reduced} {neither}" for verb in hop.words.forward if verb.is_passive]
        if self._places(hop) and (where := next(filter(None, map(_place, hop.words.forward)), "in")):
            posts += [f"{where} {neither}", f"neither {where} {first} nor {where} {second}"]
            posts += [f"not {where} {first} or {second}", f"outside {first} and {second}"]
        return Modifier("", tuple(posts), tuple(clauses))

    def _one_of_two(self, pattern: Pattern, phrase: NounPhrase, hop: Hop) -> Modifier:
        names, key = self._two_names(hop)
        other = pattern.node(hop.end)
        pattern.follow(phrase.variable, hop, other)
        pattern.require(Comparison("in", Property(other, key), ListOf(tuple(map(Constant, names)))))
        pattern.repeats = True
        first, second = (self.stater.quoted(name) for name in names)
        text = self.rng.choice((f"{first} or {second}", f"either {first} or {second}"))
        posts = tuple(f"{verb.reduced} {text}" for verb in hop.words.forward if verb.is_passive)
        return Modifier("", posts, tuple(Clause(verb, text) for verb in hop.words.forward))

    def _both(self, pattern: Pattern, phrase: NounPhrase, hop: Hop) -> Modifier:
        names, key = self._two_names(hop)
        for name in names:
            other = pattern.node(hop.end)
            pattern.follow(phrase.variable, hop, other)
            pattern.require(Comparison("=", Property(other, key), Constant(name)))
        first, second = (self.stater.quoted(name) for name in names)
        text = self.rng.choice(
            (
                f"both {first} and {second}",
                f"{first} and {second}",
                f"{first} and also {second}",
                f"{first} as well as {second}",
            )
        )
        posts = tuple(f"{verb.reduced} {text}" for verb in hop.words.forward if verb.is_passive)
        return Modifier("", posts, tuple(Clause(verb, text) for verb in hop.words.forward))

    def _two_names(self, hop: Hop) -> tuple[list[str], str]:
        key = self.schema.name_property(hop.end)
        found = [value for value in self.schema.values[hop.end, key] if isinstance(value, str)] if key else []
        if key is None or len(found) < 2 or not hop.words.forward:
            raise NothingToSayError
        return self.rng.sample(found, 2), key


def _as_many(noun: Noun) -> Noun:
    return Noun(noun.singular, noun.plural, is_plural=True)


def _place(verb: VerbPhrase) -> str:
    """Return the preposition that says as much as its verb: `in` for `work in` and `are located in`."""
    last = verb.rest.rsplit(" ", 1)[-1]
    is_present = verb.auxiliary[0] in ("do", "are")
    return last if is_present and last in ("in", "at", "on") and (not verb.base or verb.rest == last) else ""
