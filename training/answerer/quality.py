"""How well an adapter answers from gold evidence: `python -m training.answerer.quality --adapter x.gguf`."""

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from question_sets.records import QuestionRecord, read_questions
from services.answerer.prompts import answer_prompt
from shared.contracts import KnowledgeFormat
from shared.exact_match import named
from shared.graph.store import split_step
from shared.triple import Triple
from shared.verbalise.formats import as_triples, as_yaml, separator
from shared.verbalise.template import as_sentences
from training.lora.quality import WORLD_GRAPH, ServedAdapter, percent, read_facts, spread
from training.synthetic.evidence import Item, RealGraph, sentences, shortened
from training.synthetic.world import WORLD

_WORLD_VALID = Path("examples/world/questions/valid.jsonl")
_MAX_ITEMS = 5


@dataclass(slots=True)
class _Counts:
    questions: int = 0
    right: int = 0
    wrong: int = 0
    complete: int = 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure on questions that were not trained on, with the facts of their gold paths in each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("--graph", type=Path, default=WORLD_GRAPH)
    parser.add_argument("--questions", type=Path, default=_WORLD_VALID)
    parser.add_argument("--count", type=int, default=200, help="questions for each format (default %(default)s)")
    parser.add_argument("--formats", nargs="+", default=list(_FORMATS), choices=list(_FORMATS))
    parser.add_argument("--show", action="store_true", help="print what is not right")
    options = parser.parse_args(arguments)
    adapter = ServedAdapter(options.adapter)
    graph = RealGraph(read_facts(options.graph), WORLD, random.Random(0))
    asked = [(question, items) for question in read_questions(options.questions) if (items := _gold(graph, question))]
    for name in options.formats:
        counts = _Counts()
        for question, items in spread(asked, options.count):
            knowledge = _knowledge(items, KnowledgeFormat(name))
            _ask(question, items, knowledge, adapter, counts, options.show)
        print(
            f"{name}: names a right answer {percent(counts.right, counts.questions)}, "
            f"names a wrong entity {percent(counts.wrong, counts.questions)}, "
            f"names all right ones and no other {percent(counts.complete, counts.questions)}"
        )


def _gold(graph: RealGraph, question: QuestionRecord) -> list[Item]:
    path = [split_step(step) for step in question.path or ()]
    return graph.items(question.topic or "", path)[:_MAX_ITEMS] if path else []


def _shown(items: Sequence[Item]) -> list[Item]:
    return [shortened(item, random.Random(0)) for item in items]


def _knowledge(items: Sequence[Item], knowledge_format: KnowledgeFormat) -> str:
    return separator(knowledge_format).join(map(_FORMATS[knowledge_format.value], _shown(items)))


def _as_text(item: Item) -> str:
    return sentences(item, random.Random(0), usual=1.0)


_FORMATS: dict[str, Callable[[Item], str]] = {
    "text": _as_text,
    "template": lambda item: as_sentences(item.triples),
    "triples": lambda item: as_triples(item.triples),
    "yaml": lambda item: as_yaml(item.triples),
}


def _ask(
    question: QuestionRecord,
    items: Sequence[Item],
    knowledge: str,
    adapter: ServedAdapter,
    counts: _Counts,
    show: bool,
) -> None:
    text = adapter.complete(answer_prompt(knowledge, question.question), max_tokens=200)
    shown = _shown(items)
    right = set(named(text, [end for item in shown for end in item.ends]))
    all_right = {end for item in shown for end in item.ends}
    others = {name for item in shown for name in _ends(item.triples)} - set(question.answers) - all_right
    # A wrong name within a right one (Guinea in Papua New Guinea) or within the question is no wrong answer.
    wrong = [name for name in named(text, others) if not named(" ".join([*all_right, question.question]), [name])]
    counts.questions += 1
    counts.right += bool(right)
    counts.wrong += bool(wrong)
    counts.complete += right == all_right and not wrong
    if show and (not right or wrong):
        print(f"  {knowledge}\n    {question.question}\n    {text}  (wrong: {wrong})")


def _ends(triples: Sequence[Triple]) -> list[str]:
    return [name for triple in triples for name in (triple.subject, triple.object)]


if __name__ == "__main__":
    main()
