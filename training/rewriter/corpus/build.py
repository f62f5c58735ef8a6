"""Build a corpus of graph-text pairs from a graph: extract subgraphs, generate texts, and keep the good ones."""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graph.opening import open_graph
from graph.store import GraphStore, WalkRule
from question_sets.journal import Shard
from question_sets.records import read_questions
from services.answerer.pipeline import MAX_ANSWER_TOKENS
from services.answerer.prompts import answer_prompt
from services.retriever.paths.model_folder import MANIFEST_FILE, read_manifest
from services.rewriter.prompts import PROMPT_VERSION
from shared.errors import InvalidInputError
from shared.llm.client import OpenAIClient
from shared.paths import retriever_folder
from training.rewriter.corpus.extract import extract
from training.rewriter.corpus.generate import Models, generate_texts
from training.rewriter.corpus.journal import CorpusJournal, Cost, merge_journals, write_pairs

_QUERY_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Hold the options for building a corpus from training questions with relation paths.

    The journal is written next to `out`, the file of pairs. `concurrency` is the number of texts to generate at a time.
    A `shard` of None builds the whole corpus. `merge` is the number of finished shards to merge instead of building.
    """

    graph: str
    questions: Path
    out: Path
    concurrency: int
    shard: Shard | None = None
    merge: int | None = None

    @property
    def journal(self) -> Path:
        """Return the path of the journal for the shard, or for the whole corpus."""
        whole = self.out.with_name(f"{self.out.name}.journal")
        return self.shard.file(whole) if self.shard else whole


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """Summarise a finished run: questions, dropped questions by reason, subgraphs by verdict, cost, and pairs.

    `pairs` is the number of pairs written, which is 0 for a shard.
    """

    questions: int
    dropped: Counter[str]
    verdicts: Counter[str]
    cost: Cost
    pairs: int


async def build_corpus(
    options: CorpusOptions, writer: OpenAIClient, judge: OpenAIClient, progress: Callable[[int, int], None]
) -> CorpusReport:
    """Build a corpus or resume an interrupted build, and write the pairs unless only one shard is built.

    Args:
        options: The options for building the corpus.
        writer: The model that generates the texts; it is closed at the end.
        judge: The QA model that must answer from the texts; it is closed at the end.
        progress: Called with the number of finished subgraphs and the total.

    Raises:
        NotFoundError: The graph or the file of questions does not exist.
        InvalidInputError: A file is invalid, no question yields a subgraph, or a shard to merge is unfinished.
        DependencyError: The graph store or a model stayed unavailable. The journal keeps all outcomes.
    """
    records = read_questions(options.questions)
    store = open_graph(options.graph, _QUERY_TIMEOUT_S)

    async def answer(knowledge: str, question: str) -> str:
        return await judge.complete(answer_prompt(knowledge, question), max_tokens=MAX_ANSWER_TOKENS)

    try:
        await store.check()
        rule = _walk_rule(options.graph)
        corpus = await _describe(options, store, rule, writer, judge)
        extracted = await extract(store, records, rule)
        if not extracted.subgraphs:
            reasons = ", ".join(f"{reason} ({count:,})" for reason, count in extracted.dropped.most_common())
            raise InvalidInputError(f"{options.questions}: no question yields facts to verbalise; reasons: {reasons}")
        if options.merge:
            outcomes, cost = merge_journals(extracted.subgraphs, options.merge, options.journal, corpus)
        else:
            models = Models(writer, answer, lambda: writer.usage + judge.usage)
            part = options.shard.part(extracted.subgraphs) if options.shard else extracted.subgraphs
            with CorpusJournal(options.journal, corpus) as journal:
                await generate_texts(part, models, journal, options.concurrency, progress)
                outcomes, cost = journal.of(part), journal.cost()
    finally:
        await store.close()
        await writer.close()
        await judge.close()
    pairs = 0 if options.shard else write_pairs(outcomes, options.out)
    return CorpusReport(len(records), extracted.dropped, Counter(one.verdict for one in outcomes), cost, pairs)


async def _describe(
    options: CorpusOptions, store: GraphStore, rule: WalkRule, writer: OpenAIClient, judge: OpenAIClient
) -> dict[str, str]:
    """Describe everything that the outcomes depend on; a journal is resumed only if its description is the same."""
    return {
        "walk": f"{rule.mode}, topic {'excluded' if rule.exclude_topic else 'included'}",
        "graph": await store.version(),
        "questions": hashlib.sha256(options.questions.read_bytes()).hexdigest()[:16],
        "prompt": PROMPT_VERSION,
        "llm": f"{writer.name} at {writer.server}",
        "qa model": f"{judge.name} at {judge.server}",
    }


def _walk_rule(graph: str) -> WalkRule:
    """Return the walk rule of the graph's trained retriever, or the default one."""
    folder = retriever_folder(graph)
    return read_manifest(folder).walk_rule if (folder / MANIFEST_FILE).is_file() else WalkRule()
