"""`kgqa corpus build`: wires graph, questions and models, and shows what came of it."""

import asyncio
import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from kgqa.console import on_interrupt, out, print_table, progress_bar
from question_sets.journal import Shard
from question_sets.records import read_questions
from services.answerer.pipeline import MAX_ANSWER_TOKENS
from services.answerer.prompts import answer_prompt
from services.retriever.prediction.model_folder import MANIFEST_FILE, read_manifest
from services.rewriter.prompts import PROMPT_VERSION
from shared.errors import InvalidInputError
from shared.graph.opening import open_graph
from shared.graph.store import WalkRule
from shared.llm.client import OpenAIClient, Usage
from shared.paths import retriever_folder
from training.rewriter.corpus.build import Makers, build
from training.rewriter.corpus.extract import Subgraph, extract
from training.rewriter.corpus.journal import KEPT, CorpusJournal, Settled, Spent, write_pairs

# Of these a key is read, never shown.
WRITER_KEY, QA_KEY = "KGQA_CORPUS_LLM_API_KEY", "KGQA_CORPUS_QA_API_KEY"
_SECONDS_A_QUERY = 120.0
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """What `kgqa corpus build` is told. `prompt_price`, `completion_price`: of a million tokens, in any currency.

    `shard`: build this part of the corpus alone; `merge`: put so many parts together.
    """

    graph: str
    questions: Path
    out: Path
    llm: tuple[str, str]
    qa: tuple[str, str]
    at_once: int
    prompt_price: float
    completion_price: float
    shard: Shard | None = None
    merge: int | None = None


def build_corpus(options: CorpusOptions) -> None:
    """Build, or go on building, and write the pairs.

    Raises NotFoundError or InvalidInputError for what is missing or damaged, DependencyError for models that stay away.
    """
    whole = options.out.with_name(f"{options.out.name}.journal")
    journal_file = options.shard.file(whole) if options.shard else whole
    with on_interrupt(f"{journal_file} keeps what is done; the same command goes on from here"):
        asyncio.run(_build(options, journal_file))


async def _build(options: CorpusOptions, journal_file: Path) -> None:
    records = read_questions(options.questions)
    writer = OpenAIClient(*options.llm, api_key=os.environ.get(WRITER_KEY))
    judge = OpenAIClient(*options.qa, api_key=os.environ.get(QA_KEY) or os.environ.get(WRITER_KEY))
    store = open_graph(options.graph, _SECONDS_A_QUERY)

    async def answer(knowledge: str, question: str) -> str:
        return await judge.complete(answer_prompt(knowledge, question), max_tokens=MAX_ANSWER_TOKENS)

    try:
        await store.check()
        rule = _walk_rule(options.graph)
        corpus = {
            "walk": f"{rule.mode}, topic {'excluded' if rule.exclude_topic else 'included'}",
            "graph": await store.version(),
            "questions": hashlib.sha256(options.questions.read_bytes()).hexdigest()[:16],
            "prompt": PROMPT_VERSION,
            "llm": f"{writer.name} at {writer.server}",
            "qa model": f"{judge.name} at {judge.server}",
        }
        found = await extract(store, records, rule)
        if not found.subgraphs:
            why = "; ".join(f"{count:,} {reason}" for reason, count in found.dropped.most_common())
            raise InvalidInputError(f"{options.questions}: no question of it gives facts to word: {why}")
        if options.merge:
            settled, spent = _merged(found.subgraphs, Shard.all(options.merge), journal_file, corpus)
        else:
            makers = Makers(writer, answer, lambda: writer.usage + judge.usage)
            part = options.shard.part(found.subgraphs) if options.shard else found.subgraphs
            with CorpusJournal(journal_file, corpus) as journal, progress_bar("building a corpus") as advance:
                await build(part, makers, journal, options.at_once, advance)
                settled, spent = journal.of(part), journal.spent()
    finally:
        await store.close()
        await writer.close()
        await judge.close()
    verdicts = Counter(one.verdict for one in settled)
    print_table(("measure", "value"), _rows(len(records), found.dropped, verdicts, spent, options))
    if options.shard:
        out.print(f"part {options.shard} is done; when all are, put them together with --merge {options.shard.of}")
    else:
        out.print(f"wrote {write_pairs(settled, options.out):,} pairs to {escape(str(options.out))}")


def _merged(
    subgraphs: Sequence[Subgraph], shards: Sequence[Shard], journals: Path, corpus: Mapping[str, str]
) -> tuple[list[Settled], Spent]:
    """What all parts have settled, and spent. Raises InvalidInputError for a part that is not done."""
    settled, spent = [], Spent(Usage(), 0)
    for shard in shards:
        part = shard.part(subgraphs)
        with CorpusJournal(shard.existing_file(journals), corpus) as journal:
            of_part = journal.of(part)
            spent += journal.spent()
        shard.require_finished(len(part) - len(of_part))
        settled += of_part
    return settled, spent


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
