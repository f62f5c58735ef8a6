"""How faithful an adapter's texts are: `python -m training.rewriter.quality --adapter rewriter.gguf`."""

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from question_sets.records import read_questions
from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from services.rewriter.prompts import rewrite_prompt
from shared.graph.store import split_step
from shared.triple import Triple
from shared.verbalise.formats import as_triples
from training.lora.quality import WORLD_GRAPH, ServedAdapter, percent, read_facts, spread
from training.synthetic.evidence import InventedGraph, RealGraph
from training.synthetic.world import WORLD

_WORLD_VALID = Path("examples/world/questions/valid.jsonl")
_MAX_ITEMS = 5
_UNSEEN_SEED = 1_000_003


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure on evidence for questions that were not trained on, and on invented graphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("--graph", type=Path, default=WORLD_GRAPH)
    parser.add_argument("--questions", type=Path, default=_WORLD_VALID)
    parser.add_argument("--count", type=int, default=300, help="texts of each kind (default %(default)s)")
    options = parser.parse_args(arguments)
    adapter = ServedAdapter(options.adapter)
    graph = RealGraph(read_facts(options.graph), WORLD, random.Random(0))
    real = [
        item.triples
        for question in read_questions(options.questions)
        for item in graph.items(question.topic or "", [split_step(s) for s in question.path or ()])[:_MAX_ITEMS]
    ]
    _measure("the graph's evidence", spread(list(dict.fromkeys(real)), options.count), adapter)
    _measure("invented graphs", list(_invented(options.count)), adapter)


def _invented(count: int) -> Iterable[tuple[Triple, ...]]:
    random_ = random.Random(_UNSEEN_SEED)
    for number in range(count):
        graph = InventedGraph(random_)
        yield graph.item(graph.path(1 + number % 3)).triples


def _measure(what: str, evidence: Sequence[Sequence[Triple]], adapter: ServedAdapter) -> None:
    faithful = 0
    for triples in evidence:
        shown = triples[:MAX_TRIPLES_IN_TEXT]
        text = adapter.complete(rewrite_prompt(as_triples(shown)))
        if wrong := check_faithfulness(text, shown):
            print(f"  {as_triples(shown)}\n    {text}\n    {'; '.join(wrong)}")
        else:
            faithful += 1
    print(f"{what}: faithful {percent(faithful, len(evidence))}")


if __name__ == "__main__":
    main()
