"""`kgqa corpus build`: wires graph, questions and models, and shows what came of it."""

import asyncio
import hashlib
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from kgqa.console import out, progress_bar, stoppable
from kgqa.tables import print_table
from services.answerer.ask import MAX_ANSWER_TOKENS
from services.answerer.prompts import answer_prompt
from services.retriever.manifest import MANIFEST_FILE, read_manifest
from services.rewriter.corpus.build import Makers, build
from services.rewriter.corpus.extract import extract
from services.rewriter.corpus.journal import KEPT, CorpusJournal, Spent, write_pairs
from services.rewriter.prompts import PROMPT_VERSION
from shared.graph.opening import open_graph
from shared.graph.store import WalkRule
from shared.home import retriever_folder
from shared.llm.client import OpenAIClient
from shared.questions import read_questions

# Of these a key is read, never shown.
WRITER_KEY, QA_KEY = "KGQA_CORPUS_LLM_API_KEY", "KGQA_CORPUS_QA_API_KEY"
_SECONDS_A_QUERY = 120.0
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """What `kgqa corpus build` is told. `prompt_price`, `completion_price`: of a million tokens, in any currency."""

    graph: str
    questions: Path
    out: Path
    llm: tuple[str, str]
    qa: tuple[str, str]
    at_once: int
    prompt_price: float
    completion_price: float


def build_corpus(options: CorpusOptions) -> None:
    """Build, or go on building, and write the pairs.

    Raises NotFoundError or InvalidInputError for what is missing or damaged, DependencyError for models that stay away.
    """
    journal_file = options.out.with_name(f"{options.out.name}.journal")
    with stoppable(f"{journal_file} keeps what is done; the same command goes on from here"):
        asyncio.run(_build(options, journal_file))


async def _build(options: CorpusOptions, journal_file: Path) -> None:
    records = read_questions(options.questions)
    writer = OpenAIClient(*options.llm, api_key=os.environ.get(WRITER_KEY))
    judge = OpenAIClient(*options.qa, api_key=os.environ.get(QA_KEY) or os.environ.get(WRITER_KEY))
    store = open_graph(options.graph, _SECONDS_A_QUERY)

    async def answer(knowledge: str, question: str) -> str:
        return await judge.complete(answer_prompt(knowledge, question), max_tokens=MAX_ANSWER_TOKENS)

    try:
        rule = _walk_rule(options.graph)
        corpus = {
            "walk": f"{rule.mode}, topic {'excluded' if rule.exclude_topic else 'included'}",
            "graph": await store.version(),
            "questions": hashlib.sha256(options.questions.read_bytes()).hexdigest()[:16],
            "prompt": PROMPT_VERSION,
            "llm": f"{writer.name} at {writer.server}",
            "qa model": f"{judge.name} at {judge.server}",
        }
        with CorpusJournal(journal_file, corpus) as journal, progress_bar("building a corpus") as advance:
            found = await extract(store, records, rule)
            makers = Makers(writer, answer, lambda: writer.usage + judge.usage)
            verdicts = await build(found.subgraphs, makers, journal, options.at_once, advance)
            pairs = write_pairs(journal, options.out)
            spent = journal.spent()
    finally:
        await store.close()
        await writer.close()
        await judge.close()
    print_table(("measure", "value"), _rows(len(records), found.dropped, verdicts, spent, options))
    out.print(f"wrote {pairs:,} pairs to {escape(str(options.out))}")


def _walk_rule(graph: str) -> WalkRule:
    """How paths walk this graph, by its trained retriever where it has one."""
    folder = retriever_folder(graph)
    return read_manifest(folder).walk_rule if (folder / MANIFEST_FILE).is_file() else WalkRule()


def _rows(
    questions: int, without: Counter[str], verdicts: Counter[str], spent: Spent, options: CorpusOptions
) -> list[tuple[str, str]]:
    usage = spent.usage
    cost = (usage.prompt_tokens * options.prompt_price + usage.completion_tokens * options.completion_price) / _MILLION
    return [
        ("questions", f"{questions:,}"),
        *((f"dropped: question {reason}", f"{count:,}") for reason, count in without.most_common()),
        ("subgraphs", f"{verdicts.total():,}"),
        *((f"dropped: subgraph {reason}", f"{count:,}") for reason, count in verdicts.most_common() if reason != KEPT),
        ("kept", f"{verdicts[KEPT]:,}"),
        ("calls of models", f"{usage.calls:,} in {spent.runs} run{'s' * (spent.runs != 1)}"),
        ("tokens", f"{usage.prompt_tokens:,} in prompts, {usage.completion_tokens:,} in completions"),
        ("cost", f"{cost:,.4f}" if options.prompt_price or options.completion_price else "no prices given"),
    ]
