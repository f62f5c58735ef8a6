"""Write pairs of texts for readers who do not know which is which, and count what they prefer.

python -m bench.texts.blind_pairs write PAIRS.csv KEY.json --home HOME [--count N] [--seed N]
python -m bench.texts.blind_pairs count PAIRS.csv KEY.json

Each pair states the same facts, at least two: one text by the template, and one as the rewriter writes it in `kgqa up`.
Facts that both say in the same words are left out.
Half of the facts are the evidence of questions about the demo graph, and half are about entities of the company graph.
A reader puts 1 or 2 into the column `preferred`, or 0 for no preference. Give readers only PAIRS.csv.
"""

import argparse
import asyncio
import csv
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path

from bench.serving.replies import read_questions
from bench.texts.demo import QUESTIONS
from bench.texts.exact_names import read_cases
from contracts.answers import EvidenceTriples
from contracts.retrieve import RetrieveRequest
from contracts.rewrite import RewriteRequest
from evaluation.in_process import open_language_models, open_retriever
from ingestion.demo import install_demo, needs_demo
from services.answerer.knowledge import shown_evidence
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.paths import DEMO_GRAPH, retriever_folder
from shared.triple import Triple
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.template import as_sentences

_COLUMNS = ("number", "facts", "text 1", "text 2", "preferred")
_SHIPPED, _TEMPLATE = "shipped", "template"
_MAX_FACTS, _MAX_PATHS = 10, 5


async def write_pairs(count: int, seed: int) -> list[tuple[Sequence[Triple], str, str]]:
    """Return facts, each with the text of the template and the text as shipped, in random order."""
    async with open_language_models(DEMO_GRAPH) as models:
        rewriter = Rewriter(models.rewriter, InMemoryTextCache(1000))
        found = []
        for facts in [*await _of_questions(count - count // 2, seed), *_of_entities(count // 2, seed)]:
            written = await rewriter.rewrite(RewriteRequest(evidence=[EvidenceTriples(triples=list(facts))]))
            found.append((facts, as_sentences(facts), written.text))
    random.Random(seed).shuffle(found)
    return found


async def _of_questions(count: int, seed: int) -> Sequence[Sequence[Triple]]:
    """Return the evidence of questions about the demo graph."""
    found: dict[tuple[Triple, ...], None] = {}
    async with open_retriever(DEMO_GRAPH, retriever_folder(DEMO_GRAPH)) as loaded:
        for question in read_questions([QUESTIONS], 20 * count, seed):
            retrieved = await loaded.retriever.retrieve(RetrieveRequest(question=question))
            facts = tuple(fact for item in shown_evidence(retrieved, _MAX_PATHS) for fact in item.triples)
            if _is_fit(facts):
                found[facts] = None
            if len(found) == count:
                break
    return list(found)


def _of_entities(count: int, seed: int) -> Sequence[Sequence[Triple]]:
    cases = (tuple(facts) for graph, facts in read_cases(20 * count, seed) if graph == "company")
    return list(dict.fromkeys(filter(_is_fit, cases)))[:count]


def _is_fit(facts: Sequence[Triple]) -> bool:
    is_short = 2 <= len(facts) <= _MAX_FACTS
    return is_short and len(set(facts)) == len(facts) and as_sentences(facts) != as_paragraph(facts)


def save(pairs: Sequence[tuple[Sequence[Triple], str, str]], table: Path, key: Path, seed: int) -> None:
    """Write the table for readers, and the key: what the first text of each pair is."""
    draw = random.Random(seed + 1)
    first = {}
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(_COLUMNS)
        for number, (facts, template, shipped) in enumerate(pairs, 1):
            is_shipped_first = draw.random() < 1 / 2
            first[number] = _SHIPPED if is_shipped_first else _TEMPLATE
            texts = (shipped, template) if is_shipped_first else (template, shipped)
            rows.writerow((number, "\n".join(" | ".join(fact) for fact in _as_rows(facts)), *texts, ""))
    key.write_text(json.dumps(first, indent=2) + "\n", encoding="utf-8")


def _as_rows(facts: Sequence[Triple]) -> list[tuple[str, str, str]]:
    return [(fact.subject, fact.relation, fact.object) for fact in facts]


def counted(table: Path, key: Path) -> dict[str, int]:
    """Return how often each kind of text is preferred, and how often neither is; rows without a choice do not count."""
    first = json.loads(key.read_text(encoding="utf-8"))
    counts = {_SHIPPED: 0, _TEMPLATE: 0, "neither": 0}
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if choice := row["preferred"].strip():
                is_shipped = (choice == "1") is (first[row["number"]] == _SHIPPED)
                counts["neither" if choice == "0" else _SHIPPED if is_shipped else _TEMPLATE] += 1
    return counts


def main() -> None:
    """Write the pairs, or count the preferences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("write", "count"), help="what to do")
    parser.add_argument("table", type=Path, help="CSV file for the readers")
    parser.add_argument("key", type=Path, help="JSON file that says which text is which")
    parser.add_argument("--home", type=Path, help="KGQA_HOME; the demo graph is installed there")
    parser.add_argument("--count", type=int, default=100, help="number of pairs (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default %(default)s)")
    arguments = parser.parse_args()
    if arguments.task == "count":
        print(json.dumps(counted(arguments.table, arguments.key), indent=2))
        return
    if arguments.home:
        os.environ["KGQA_HOME"] = str(arguments.home.absolute())
    if needs_demo():
        install_demo()
    save(asyncio.run(write_pairs(arguments.count, arguments.seed)), arguments.table, arguments.key, arguments.seed)


if __name__ == "__main__":
    main()
