"""Evidence to train on: chains of facts from invented schemas and from a real graph, and how to say them.

An item is shaped as the retriever's evidence is: reasoning paths that share all but their last triple.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.triple import Triple
from shared.verbalise.template import join_names
from training.synthetic.lexicon import Relation, domains, invented_attribute
from training.synthetic.names import like_another, name_of

# A little more than the rewriter puts into one text.
MAX_LIST = 12
_LIST_SIZES = [1] * 9 + [2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12]
_ALIKE_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a relation path: the relation, how this graph spells it, and which way it is walked."""

    relation: Relation
    spelling: str
    backwards: bool

    def triple(self, here: str, there: str) -> Triple:
        """The fact that this step walks from `here` to `there`."""
        return Triple(there, self.spelling, here) if self.backwards else Triple(here, self.spelling, there)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of evidence: a chain of entities from the topic, then the entities that the last step reaches."""

    steps: tuple[Step, ...]
    chain: tuple[str, ...]
    ends: tuple[str, ...]

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The facts in the order of the walk."""
        hops = zip(self.steps, self.chain, self.chain[1:], strict=False)
        return (
            *(step.triple(here, there) for step, here, there in hops),
            *(self.steps[-1].triple(self.chain[-1], end) for end in self.ends),
        )


class InventedGraph:
    """An invented graph: one domain, one way to spell relations, names made up as they are needed."""

    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self._domain = random_.choice(domains())
        self._spelling = random_.choice(_SPELLINGS)
        self._used: list[str] = []

    def path(self, hops: int, like: tuple[Step, ...] = ()) -> tuple[Step, ...]:
        """A relation path whose steps fit together; `like`: a path whose kind of topic entity it should share."""
        r = self._random
        start = _start_kind(like[0]) if like else None
        for _ in range(50):
            steps: list[Step] = []
            here = start
            while len(steps) < hops:
                fitting = [(x, back) for x in self._domain for back in (False, True)
                           if here in (None, (x.object if back else x.subject).noun)]  # fmt: skip
                if not fitting:
                    break
                relation, back = r.choice(fitting)
                if not back and r.random() < 0.15:
                    relation = invented_attribute(relation, r)
                steps.append(Step(relation, self._spelling(relation, r), back))
                here = (relation.subject if back else relation.object).noun
            if len(steps) == hops:
                return tuple(steps)
        return self.path(1)

    def item(self, steps: tuple[Step, ...], topic: str | None = None, size: int | None = None) -> Item:
        """Evidence along a path, from a new topic entity unless one is given."""
        r = self._random
        chain = [topic or self.name(steps[0], topic=True), *(self.name(step) for step in steps[:-1])]
        count = size or r.choice(_LIST_SIZES)
        return Item(steps, tuple(chain), tuple(self.name(steps[-1]) for _ in range(count)))

    def name(self, step: Step, topic: bool = False) -> str:
        """A new name for the entity that a step reaches (or, for the first step, starts from)."""
        relation, r = step.relation, self._random
        style = relation.subject_style if step.backwards != topic else relation.object_style
        name = ""
        for _ in range(20):
            name = like_another(r.choice(self._used), r) if self._used and r.random() < _ALIKE_SHARE else ""
            name = name or name_of(style, r)
            if name not in self._used:
                break
        self._used.append(name)
        return name


class RealGraph:
    """A graph's own triples, for the relations whose wording is known."""

    def __init__(self, triples: Iterable[Triple], relations: Mapping[str, Relation], random_: random.Random) -> None:
        self._random = random_
        self._relations = relations
        self._next: dict[str, dict[tuple[str, bool], list[str]]] = defaultdict(lambda: defaultdict(list))
        starts: dict[tuple[str, bool], set[str]] = defaultdict(set)
        for triple in triples:
            if triple.relation in relations:
                self._next[triple.subject][triple.relation, False].append(triple.object)
                self._next[triple.object][triple.relation, True].append(triple.subject)
                starts[triple.relation, False].add(triple.subject)
                starts[triple.relation, True].add(triple.object)
        self._starts = {key: sorted(names) for key, names in sorted(starts.items())}
        self._names = sorted(self._next)

    def item(self, hops: int, topic: str | None = None) -> Item | None:
        """Evidence along a random path of `hops` steps; relations are drawn evenly. None at a dead end."""
        r = self._random
        first = r.choice(list(self._starts)) if topic is None else r.choice(self._steps(topic) or [("", False)])
        start = topic or r.choice(self._starts[first])
        steps, here = [first], start
        while len(steps) < hops:
            here = r.choice(self._next[here].get(steps[-1]) or [start])
            steps.append(r.choice(self._steps(here) or [("", False)]))
        items = self.items(start, steps)
        return r.choice(items) if items else None

    def near(self, topic: str, steps: Sequence[tuple[str, bool]]) -> Item | None:
        """Evidence along a path like another one: with a step more, less or changed. None at a dead end."""
        r = self._random
        kept = list(steps[: r.randrange(len(steps) + 1)])
        reached = self.items(topic, kept) if kept else []
        here = r.choice(r.choice(reached).ends) if reached else topic
        further = self._steps(here)
        if further and (not kept or r.random() < 0.6):
            kept.append(r.choice(further))
        items = self.items(topic, kept)
        return r.choice(items) if items else None

    def namesake(self, name: str) -> str:
        """An entity whose name is a word or a part of this one, as a linker may take it for the topic; or any other."""
        words = name.split()
        parts = [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
        return self._random.choice([p for p in parts if p in self._next and p != name] or self._names)

    def items(self, topic: str, steps: Sequence[tuple[str, bool]]) -> list[Item]:
        """All evidence along a path of (relation, backwards), grouped by chain.

        As the retriever does: no triple twice in a path, the topic is no answer, each answer only once.
        """
        known = tuple(Step(self._relations[name], name, back) for name, back in steps if name in self._relations)
        if len(known) < len(steps):
            return []
        chains: list[tuple[str, ...]] = [(topic,)]
        for name in steps[:-1]:
            chains = [(*chain, there) for chain in chains for there in self._next.get(chain[-1], {}).get(name, [])]
        seen = {topic}
        items = []
        for chain in chains:
            walked = Item(known, chain, ()).triples
            ends = [end for end in self._next.get(chain[-1], {}).get(steps[-1], [])
                    if end not in seen and known[-1].triple(chain[-1], end) not in walked]  # fmt: skip
            if ends and len(set(walked)) == len(walked):
                items.append(Item(known, chain, tuple(ends)))
                seen.update(ends)
        return items

    def _steps(self, here: str) -> list[tuple[str, bool]]:
        return sorted(self._next.get(here, {}))


def shortened(item: Item, random_: random.Random, most: int = MAX_LIST) -> Item:
    """The item with at most `most` ends; by default as many as the rewriter puts into one text."""
    if len(item.ends) <= most:
        return item
    return Item(
        item.steps,
        item.chain,
        tuple(random_.sample(item.ends, random_.choice([most // 4, most // 2, most * 3 // 4, most]))),
    )


def sentences(item: Item, random_: random.Random, usual: float = 0.7) -> str:
    """Say an item in plain English; each sentence takes the relation's first pattern with probability `usual`."""
    said = [
        _sentence(step, (here,), (there,), random_, usual)
        for step, here, there in zip(item.steps, item.chain, item.chain[1:], strict=False)
    ]
    said.append(_sentence(item.steps[-1], (item.chain[-1],), item.ends, random_, usual))
    text = said[0]
    names = (*item.chain, *item.ends)
    for step, via, sentence in zip(item.steps, item.chain[1:], said[1:], strict=False):
        # `Tunis Airport serves Tunis` does not begin with Tunis.
        is_first = sentence.startswith(f"{via} ") and not any(name.startswith(f"{via} ") for name in names)
        joins = text.endswith(f" {via}.") and is_first and not via.endswith(".")
        if joins and len(item.ends) < 4 and random_.random() < 0.5:
            reached = step.relation.subject if step.backwards else step.relation.object
            text = f"{text[:-1]}, {'who' if reached.is_person else 'which'}{sentence[len(via) :]}"
        else:
            text = f"{text} {sentence}"
    return text


def _sentence(step: Step, here: tuple[str, ...], there: tuple[str, ...], random_: random.Random, usual: float) -> str:
    subjects, objects = (there, here) if step.backwards else (here, there)
    wording = step.relation.wording
    patterns = wording.one if len(there) == 1 else wording.subjects if step.backwards else wording.objects
    pattern = patterns[0] if random_.random() < usual else random_.choice(patterns)
    # Not str.format on the pattern's result: names may hold braces.
    parts = {"{s}": join_names(subjects), "{o}": join_names(objects)}
    first, second = ("{s}", "{o}") if pattern.index("{s}") < pattern.index("{o}") else ("{o}", "{s}")
    head, rest = pattern.split(first)
    middle, tail = rest.split(second)
    return end_sentence(f"{head}{parts[first]}{middle}{parts[second]}{tail}")


def end_sentence(text: str) -> str:
    """Without a second full stop after a name that ends in one."""
    return text[:-1] if text.endswith(("..", "?.", "!.")) else text


def _start_kind(step: Step) -> str:
    return (step.relation.object if step.backwards else step.relation.subject).noun


def _snake(relation: Relation, _: random.Random) -> str:
    return relation.words.replace(" ", "_")


def _camel(relation: Relation, _: random.Random) -> str:
    first, *rest = relation.words.split()
    return first + "".join(word.capitalize() for word in rest)


def _upper(relation: Relation, _: random.Random) -> str:
    return relation.words.upper().replace(" ", "_")


def _spaced(relation: Relation, _: random.Random) -> str:
    return relation.words


def _kebab(relation: Relation, _: random.Random) -> str:
    return relation.words.replace(" ", "-")


def _dotted(relation: Relation, _: random.Random) -> str:
    kind = relation.subject.noun.replace(" ", "_")
    return f"{kind}.{kind}.{_snake(relation, _)}"


def _prefixed(relation: Relation, random_: random.Random) -> str:
    """`has_genre`, `is_member_of`, `was_born_in`: a verb in front, where the name's form allows one."""
    snake = _snake(relation, random_)
    sentence = relation.wording.one[0]
    if sentence.startswith("The "):
        return f"has_{snake}"
    be = next((word for word in ("is", "was") if f"{{s}} {word} " in sentence), "")
    return f"{be}_{snake}" if be else snake


_SPELLINGS = [_snake, _snake, _snake, _prefixed, _camel, _upper, _spaced, _kebab, _dotted]
