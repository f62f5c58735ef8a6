"""Graph-text pairs to train the rewriter on: evidence in template T1, and sentences that say it.

RRA takes the sentences from ChatGPT. Here hand-written patterns make them, for invented schemas in every style of
naming and for the graph that will be served, so that the pairs are free to use and every name is copied exactly.
"""

import random
from collections.abc import Iterator, Sequence

from services.rewriter.prompts import rewrite_prompt
from shared.triple import Triple
from shared.verbalise.formats import as_triples
from training.lora.task import Pair
from training.synthetic.derived import relations_of
from training.synthetic.evidence import InventedGraph, Item, RealGraph, sentences, shortened
from training.synthetic.world import WORLD

_HOPS = [1, 1, 1, 2, 2, 2, 3]
_REAL_SHARE = 0.3
# A greedy model learns to say each relation in one way; the rest of the ways keeps it from learning that way by heart.
_USUAL_SHARE = 0.9
_LONGEST_CHARACTERS = 900


def training_pairs(count: int, facts: Sequence[Triple], seed: int = 13) -> list[Pair]:
    """`count` pairs, the same for the same seed; `facts` are those of the graph to be served, or none."""
    random_ = random.Random(seed)
    relations = relations_of({fact.relation for fact in facts}, WORLD)
    pairs: list[Pair] = []
    for item in _items(RealGraph(facts, relations, random_) if facts else None, random_):
        x = as_triples(item.triples)
        if len(x) <= _LONGEST_CHARACTERS:
            pairs.append(Pair(rewrite_prompt(x), sentences(item, random_, _USUAL_SHARE)))
        if len(pairs) == count:
            return pairs
    return pairs


def _items(real: RealGraph | None, random_: random.Random) -> Iterator[Item]:
    while True:
        if real and random_.random() < _REAL_SHARE:
            item = real.item(random_.choice(_HOPS))
            if item:
                yield shortened(item, random_)
            continue
        graph = InventedGraph(random_)
        yield graph.item(graph.path(random_.choice(_HOPS)))
