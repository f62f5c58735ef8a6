"""Represent synthetic evidence in the form in which the retriever returns it, and verbalise it in plain English.

An evidence item groups reasoning paths that differ only in their last triple.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph.store import INVERSE, RelationPath
from shared.triple import Triple
from texts.verbalise.template import join_names
from training.synthetic.relations import Relation
from training.synthetic.wording import QuestionPatterns

# Slightly more entities than the rewriter puts into one text.
MAX_LIST = 12


@dataclass(frozen=True, slots=True)
class Step:
    """Describe a step in a relation path: the relation, its spelling in this graph, and the direction of the walk."""

    relation: Relation
    spelling: str
    backwards: bool

    @property
    def name(self) -> str:
        """Return the step as written in a relation path: `capital`, or `^capital` if walked backwards."""
        return INVERSE + self.spelling if self.backwards else self.spelling

    @property
    def asking(self) -> QuestionPatterns:
        """Return the question patterns for the entities that this step reaches."""
        return self.relation.wording.backward if self.backwards else self.relation.wording.forward

    def triple(self, here: str, there: str) -> Triple:
        """Return the triple that connects `here` to `there`."""
        return Triple(there, self.spelling, here) if self.backwards else Triple(here, self.spelling, there)


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """Hold an evidence item: a chain of entities from the topic entity, and the entities that the last step reaches."""

    steps: tuple[Step, ...]
    chain: tuple[str, ...]
    ends: tuple[str, ...]

    @property
    def path(self) -> RelationPath:
        """Return the relation path of the item."""
        return tuple(step.name for step in self.steps)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """Return the triples in the order of the walk."""
        hops = zip(self.steps, self.chain, self.chain[1:], strict=False)
        return (
            *(step.triple(here, there) for step, here, there in hops),
            *(self.steps[-1].triple(self.chain[-1], end) for end in self.ends),
        )


def shorten(item: EvidenceItem, random_: random.Random, limit: int = MAX_LIST) -> EvidenceItem:
    """Keep a random sample of at most `limit` entities at the end of the path if there are more."""
    if len(item.ends) <= limit:
        return item
    count = random_.choice([limit // 4, limit // 2, limit * 3 // 4, limit])
    return replace(item, ends=tuple(random_.sample(item.ends, count)))


def verbalise_item(item: EvidenceItem, random_: random.Random, usual: float = 0.7) -> str:
    """Verbalise an item in plain English, with one sentence or relative clause per step.

    `usual` is the probability that a sentence uses the first pattern for its relation.
    """
    said = [
        _sentence(step, (here,), (there,), random_, usual)
        for step, here, there in zip(item.steps, item.chain, item.chain[1:], strict=False)
    ]
    said.append(_sentence(item.steps[-1], (item.chain[-1],), item.ends, random_, usual))
    text = said[0]
    names = (*item.chain, *item.ends)
    for step, via, sentence in zip(item.steps, item.chain[1:], said[1:], strict=False):
        # `Tunis Airport serves Tunis` begins with the name `Tunis Airport`, not `Tunis`.
        is_first = sentence.startswith(f"{via} ") and not any(name.startswith(f"{via} ") for name in names)
        joins = text.endswith(f" {via}.") and is_first and not via.endswith(".")
        if joins and len(item.ends) < 4 and random_.random() < 0.5:
            reached = step.relation.subject if step.backwards else step.relation.object
            text = f"{text[:-1]}, {'who' if reached.is_person else 'which'}{sentence[len(via) :]}"
        else:
            text = f"{text} {sentence}"
    return text


def _sentence(step: Step, here: Sequence[str], there: Sequence[str], random_: random.Random, usual: float) -> str:
    subjects, objects = (there, here) if step.backwards else (here, there)
    wording = step.relation.wording
    patterns = wording.one if len(there) == 1 else wording.subjects if step.backwards else wording.objects
    pattern = patterns[0] if random_.random() < usual else random_.choice(patterns)
    # `str.format` would interpret braces in names.
    parts = {"{s}": join_names(subjects), "{o}": join_names(objects)}
    first, second = ("{s}", "{o}") if pattern.index("{s}") < pattern.index("{o}") else ("{o}", "{s}")
    head, rest = pattern.split(first)
    middle, tail = rest.split(second)
    text = f"{head}{parts[first]}{middle}{parts[second]}{tail}"
    # A name that ends in a punctuation mark already ends the sentence.
    return text[:-1] if text.endswith(("..", "?.", "!.")) else text
