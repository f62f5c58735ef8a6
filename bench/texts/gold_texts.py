"""Measure the answers to MetaQA's 2-hop questions from each knowledge format, with the evidence of the gold paths.

python -m bench.texts.gold_texts GRAPH.tsv QUESTIONS.jsonl --home HOME [--count N] [--asked N] --journal FILE [--save]

The files are as `kgqa convert metaqa` writes them. The evidence is what the gold path of a question reaches, so nothing
has to be trained. As served by `kgqa up`, grammar words the answers. The first `--asked` questions also go to the
packaged QA model, which was not trained on MetaQA. A run with the same journal continues where the last one stopped.
"""

import argparse
import asyncio
import json
import math
import os
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench.results import Section, head, keep
from bench.texts.made_replies import SCORE, made_reply
from contracts.answers import Answer, EvidenceTriples
from contracts.ask import AskRequest
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import KnowledgeFormat
from evaluation.formats import ComparedFormat, FormatPipeline
from evaluation.in_process import LanguageModels, open_language_models
from evaluation.metrics import lenient_hit
from evaluation.options import EvaluationOptions
from question_sets.records import QuestionRecord, draw_sample, read_questions
from services.answerer.pipeline import Asker
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.paths import DEMO_GRAPH
from shared.triple import Triple

_FORMATS = (ComparedFormat.TRIPLES, ComparedFormat.TEMPLATE, ComparedFormat.YAML, ComparedFormat.TEXT)
_NOTE = (
    "MetaQA's 2-hop test questions, drawn with seed 0. The evidence is what the gold path of a question reaches. `as "
    "served`: the answers of `kgqa up` with the embedded model, which grammar words. `hit@1`: the answer contains a "
    "gold answer as whole words. `vs triples`: questions that are answered with this format but not with triples "
    "(helpful, +), and the reverse (harmful, -), with the p value of a sign test. The packaged QA model, which was not "
    "trained on MetaQA, answers the first of the questions; `prompt tokens` is the mean of its prompts."
)


class GoldPaths:
    """Retrieve the answers and the evidence that the gold path of a question reaches."""

    def __init__(self, graph: Path, records: Sequence[QuestionRecord]) -> None:
        self._records = {record.question: record for record in records}
        self._facts: dict[tuple[str, str], list[Triple]] = defaultdict(list)
        for line in graph.read_text(encoding="utf-8").splitlines():
            fact = Triple(*line.split("\t"))
            self._facts[fact.subject, fact.relation].append(fact)
            self._facts[fact.object, f"^{fact.relation}"].append(fact)

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Walk two steps; each item of evidence is a fact of the first step with those of the second."""
        record = self._records[request.question]
        topic, path = record.topic or "", record.path or ()
        items: list[EvidenceTriples] = []
        found: dict[str, list[int]] = {}
        for fact in self._facts[topic, path[0]]:
            entity = _end(fact, path[0])
            last = [one for one in self._facts[entity, path[1]] if _end(one, path[1]) in record.answers]
            for one in last:
                found.setdefault(_end(one, path[1]), []).append(len(items))
            if last:
                items.append(EvidenceTriples(triples=list(dict.fromkeys([fact, *last]))))
        answers = [Answer(value=name, score=SCORE, evidence=indexes) for name, indexes in found.items()]
        return made_reply(topic, path, answers, items)


def _end(fact: Triple, step: str) -> str:
    return fact.subject if step.startswith("^") else fact.object


def sign_test(helpful: int, harmful: int) -> float:
    """Return the two-sided p value of a paired comparison."""
    number = helpful + harmful
    tail = sum(math.comb(number, one) for one in range(min(helpful, harmful) + 1))
    return min(1.0, 2 * tail / math.pow(2, number))


async def served_hits(
    retriever: GoldPaths, models: LanguageModels, records: Sequence[QuestionRecord]
) -> dict[str, list[bool]]:
    """Return whether each answer contains a gold answer, as `kgqa up` serves it, for each format."""
    asker = Asker(retriever, Rewriter(models.rewriter, InMemoryTextCache(0)), None)
    hits: dict[str, list[bool]] = {form.value: [] for form in _FORMATS}
    for record in records:
        for form in _FORMATS:
            knowledge = KnowledgeFormat(form.value)
            request = AskRequest(question=record.question, topic_entity=record.topic, format=knowledge)
            reply = await asker.ask(request, "bench")
            hits[form.value].append(lenient_hit(reply.answer, record.answers))
    return hits


async def ask_model(
    retriever: GoldPaths, models: LanguageModels, records: Sequence[QuestionRecord], journal: Path
) -> list[dict[str, tuple[bool, int]]]:
    """Return a hit and the prompt's tokens for each format and question; lines of the journal are not repeated."""
    done = _read(journal)
    options = EvaluationOptions(graph=DEMO_GRAPH, retriever=journal, questions=journal)
    rewriter = Rewriter(models.rewriter, InMemoryTextCache(0))
    pipeline = FormatPipeline(retriever, rewriter, models.base, models.qa, options)
    with journal.open("a", encoding="utf-8") as out:
        for number, record in enumerate(records[len(done) :], len(done)):
            outcomes = [await pipeline.ask(form, number, record) for form in _FORMATS]
            done.append({one.form.value: (one.hit, one.prompt_tokens) for one in outcomes})
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
    return done


def _read(journal: Path) -> list[dict[str, tuple[bool, int]]]:
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()] if journal.is_file() else []


async def measure(graph: Path, questions: Path, count: int, asked: int, journal: Path) -> dict[str, dict[str, str]]:
    """Return a column for each format."""
    records = [record for _, record in draw_sample(read_questions(questions), count, 0)]
    # The questions of the file are sorted by their relations, so that the first ones are much alike.
    random.Random(0).shuffle(records)
    retriever = GoldPaths(graph, records)
    async with open_language_models(DEMO_GRAPH) as models:
        served = await served_hits(retriever, models, records)
        columns = {form: {"questions": f"{len(records):,}"} | _hits("as served", served, form) for form in served}
        lines = await ask_model(retriever, models, records[:asked], journal)
    hits = {form.value: [line[form.value][0] for line in lines] for form in _FORMATS}
    for form in hits if lines else ():
        columns[form] |= {"asked": str(len(lines))} | _hits("packaged QA model", hits, form)
        columns[form]["prompt tokens"] = f"{mean(line[form][1] for line in lines):.0f}"
    return columns


def _hits(who: str, hits: dict[str, list[bool]], form: str) -> dict[str, str]:
    own, triples = hits[form], hits[ComparedFormat.TRIPLES.value]
    helpful = sum(one and not other for one, other in zip(own, triples, strict=True))
    harmful = sum(other and not one for one, other in zip(own, triples, strict=True))
    versus = f"+{helpful} -{harmful}, p = {sign_test(helpful, harmful):.3g}"
    return {
        f"{who}: hit@1": f"{100 * sum(own) / len(own):.2f}",
        f"{who}: vs triples": "–" if form == ComparedFormat.TRIPLES.value else versus,
    }


def main() -> None:
    """Measure, print the figures, and save them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", type=Path, help="MetaQA's graph, as `kgqa convert metaqa` writes it")
    parser.add_argument("questions", type=Path, help="the 2-hop test questions, as `kgqa convert metaqa` writes them")
    parser.add_argument("--home", type=Path, required=True, help="KGQA_HOME, for the embedded model's log")
    parser.add_argument("--count", type=int, default=2000, help="number of questions (default %(default)s)")
    parser.add_argument("--asked", type=int, default=200, help="number for the QA model (default %(default)s)")
    parser.add_argument("--journal", type=Path, required=True, help="JSON Lines file with a line for each one asked")
    parser.add_argument("--save", action="store_true", help="write the figures to docs/benchmarks.md")
    arguments = parser.parse_args()
    os.environ["KGQA_HOME"] = str(arguments.home.absolute())
    commit = head()
    columns = asyncio.run(
        measure(arguments.graph, arguments.questions, arguments.count, arguments.asked, arguments.journal)
    )
    for name, column in columns.items():
        print(name, column)
    if arguments.save:
        command = "python -m bench.texts.gold_texts GRAPH.tsv QUESTIONS.jsonl --home DIR --journal FILE --save"
        title = "Models: formats of knowledge, from gold paths"
        keep("gold-texts", Section(order=22, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
