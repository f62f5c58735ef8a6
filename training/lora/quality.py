"""Measure an adapter, as served by llama.cpp, on gold evidence.

    python -m training.lora.quality rewriter --adapter rewriter.gguf --graph graph.tsv.xz --questions valid.jsonl

`kgqa evaluate --formats` measures an adapter within the pipeline, where retrieval errors and fallbacks hide some of its
mistakes. This module gives the adapter gold evidence instead, so every mistake is the adapter's own.
"""

import argparse
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from contracts.rewrite import KnowledgeFormat
from question_sets.records import QuestionRecord, open_text, read_questions
from services.answerer.prompts import answer_prompt
from services.llm.engine import EmbeddedModels
from services.llm.model_files import base_model_file
from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from services.rewriter.prompts import rewrite_prompt
from shared.exact_match import named
from shared.triple import Triple
from texts.verbalise.formats import as_triples, as_yaml, separator
from texts.verbalise.template import as_sentences
from training.synthetic.evidence import EvidenceItem, shorten, verbalise_item
from training.synthetic.invented_graph import InventedGraph
from training.synthetic.real_graph import RealGraph
from training.synthetic.relations import read_wordings, relations_by_name

_ALIAS = "alias"
_MAX_ITEMS = 5
_UNSEEN_SEED = 1_000_003
_FORMATS: dict[KnowledgeFormat, Callable[[EvidenceItem], str]] = {
    KnowledgeFormat.TEXT: lambda item: verbalise_item(item, random.Random(0), usual=1.0),
    KnowledgeFormat.TEMPLATE: lambda item: as_sentences(item.triples),
    KnowledgeFormat.TRIPLES: lambda item: as_triples(item.triples),
    KnowledgeFormat.YAML: lambda item: as_yaml(item.triples),
}

Complete = Callable[[str, int], str]
"""A function that completes a prompt greedily, given the prompt and the maximum number of tokens."""

Gold = tuple[QuestionRecord, Sequence[EvidenceItem]]
"""A question with the evidence along its gold path."""

Element = TypeVar("Element")


@dataclass(frozen=True, slots=True)
class Quality:
    """Hold the result of measuring `total` cases: the number with each property, and a description of each failure."""

    kind: str
    total: int
    counts: dict[str, int]
    failures: list[str]

    def __str__(self) -> str:
        shares = (
            f"{name} {100 * n / max(1, self.total):.1f} % ({n} of {self.total})" for name, n in self.counts.items()
        )
        return f"{self.kind}: {', '.join(shares)}"


def rewriter_quality(kind: str, evidence: Sequence[Sequence[Triple]], complete: Complete) -> Quality:
    """Rewrite evidence with an adapter, and count the texts that pass the rewriter's faithfulness check."""
    failures = []
    for triples in evidence:
        shown = triples[:MAX_TRIPLES_IN_TEXT]
        text = complete(rewrite_prompt(as_triples(shown)), 300)
        if wrong := check_faithfulness(text, shown):
            failures.append(f"  {as_triples(shown)}\n    {text}\n    {'; '.join(wrong)}")
    return Quality(kind, len(evidence), {"faithful": len(evidence) - len(failures)}, failures)


def answerer_quality(gold: Sequence[Gold], knowledge_format: KnowledgeFormat, complete: Complete) -> Quality:
    """Answer questions from gold evidence in one format, and count the answers that name right and wrong entities."""
    counts = {"names a right answer": 0, "a wrong entity": 0, "exactly the right answers": 0}
    failures = []
    for question, items in gold:
        shown = [shorten(item, random.Random(0)) for item in items]
        knowledge = separator(knowledge_format).join(map(_FORMATS[knowledge_format], shown))
        text = complete(answer_prompt(knowledge, question.question), 200)
        ends = {end for item in shown for end in item.ends}
        right, wrong = set(named(text, ends)), _wrong_names(text, question, shown, ends)
        for name, holds in zip(counts, (right, wrong, right == ends and not wrong), strict=True):
            counts[name] += bool(holds)
        if not right or wrong:
            failures.append(f"  {knowledge}\n    {question.question}\n    {text}  (wrong: {wrong})")
    return Quality(knowledge_format.value, len(gold), counts, failures)


def _wrong_names(text: str, question: QuestionRecord, shown: Sequence[EvidenceItem], ends: set[str]) -> list[str]:
    names = {name for item in shown for fact in item.triples for name in (fact.subject, fact.object)}
    mistaken = named(text, names - set(question.answers) - ends)
    # A name inside a right answer (Guinea in Papua New Guinea) or in the question is not a wrong answer.
    return [name for name in mistaken if not named(" ".join([*ends, question.question]), [name])]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure an adapter and print its quality."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapter_of", choices=["rewriter", "answerer"])
    parser.add_argument("--adapter", type=Path, required=True, help="GGUF file")
    parser.add_argument("--graph", type=Path, required=True, help="tab-separated triples, plain or .xz")
    parser.add_argument("--questions", type=Path, required=True, help="question file with topics and relation paths")
    parser.add_argument("--wordings", type=Path, help="TOML file of hand-written wordings for the graph's relations")
    parser.add_argument("--count", type=int, default=200, help="number of cases of each kind (default %(default)s)")
    parser.add_argument("--show", action="store_true", help="print each failure")
    options = parser.parse_args(arguments)
    gold = _gold(options.graph, options.wordings, read_questions(options.questions))
    complete = _served(options.adapter)
    if options.adapter_of == "rewriter":
        real = list(dict.fromkeys(item.triples for _, items in gold for item in items))
        evidence = {"the graph": _spread(real, options.count), "invented graphs": _unseen(options.count)}
        qualities = (rewriter_quality(kind, items, complete) for kind, items in evidence.items())
    else:
        asked = _spread(gold, options.count)
        qualities = (answerer_quality(asked, knowledge_format, complete) for knowledge_format in _FORMATS)
    for quality in qualities:
        print("\n".join([*(quality.failures if options.show else ()), str(quality)]), flush=True)


def _served(adapter: Path) -> Complete:
    models = EmbeddedModels(base_model_file(), {"adapter": adapter})

    def complete(prompt: str, max_tokens: int) -> str:
        messages = [{"role": "user", "content": prompt}]
        request: dict[str, Any] = {"messages": messages, "max_tokens": max_tokens, "temperature": 0.0}
        text: str = models.complete("adapter", 0, request)["choices"][0]["message"]["content"]
        return text.strip()

    return complete


def _gold(graph: Path, wordings: Path | None, questions: Iterable[QuestionRecord]) -> list[Gold]:
    with open_text(graph) as lines:
        facts = [Triple(*line.rstrip("\n").split("\t")) for line in lines]
    names = {fact.relation for fact in facts} - {_ALIAS}
    relations = relations_by_name(names, read_wordings(wordings))
    real = RealGraph(facts, relations, random.Random(0))
    with_path = [question for question in questions if question.topic and question.path]
    gold = [(question, real.items(question.topic or "", question.path or ())[:_MAX_ITEMS]) for question in with_path]
    return [(question, items) for question, items in gold if items]


def _unseen(count: int) -> list[tuple[Triple, ...]]:
    random_ = random.Random(_UNSEEN_SEED)
    graphs = (InventedGraph(random_) for _ in range(count))
    return [graph.item(graph.path(1 + number % 3)).triples for number, graph in enumerate(graphs)]


def _spread(items: Sequence[Element], count: int) -> list[Element]:
    """Return at most `count` evenly spaced items."""
    return list(items[:: max(1, len(items) // max(1, count))][:count])


if __name__ == "__main__":
    main()
