"""Measure the texts of replies about the demo graph: calls of language models, tokens, and the names in the texts.

python -m bench.texts.demo --home HOME [--count N] [--seed N] [--record FILE] [--save NAME]

Each question is answered by the retriever, the rewriter, and the answerer in one process, with the embedded language
model and an empty cache. `--save` writes the figures to docs/benchmarks.md, in the column NAME. `--record` writes the
replies to a file, one JSON line per question.
"""

import argparse
import asyncio
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench.results import RESULTS, ROOT, Section, head, keep
from bench.serving.replies import read_questions
from contracts.answers import answer_names
from contracts.ask import AskRequest, AskResponse
from evaluation.in_process import open_language_models, open_retriever
from ingestion.demo import install_demo, needs_demo
from language.english.measures import grouped_quantities
from services.answerer.answer_text import without_remainder
from services.answerer.pipeline import Asker
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.exact_match import named
from shared.paths import DEMO_GRAPH, retriever_folder
from shared.triple import entity_names
from texts.grounding.hallucination_checks import Source, find_hallucinations
from texts.grounding.spelling import respelt_names

QUESTIONS = ROOT / "examples" / "world" / "questions" / "test.jsonl"
_MOST_NAMED = 20


async def measure(questions: Sequence[str]) -> tuple[list[AskResponse], dict[str, str]]:
    """Answer the questions, and return the replies and the figures."""
    async with (
        open_retriever(DEMO_GRAPH, retriever_folder(DEMO_GRAPH)) as loaded,
        open_language_models(DEMO_GRAPH) as models,
    ):
        rewriter = Rewriter(models.rewriter, InMemoryTextCache(10_000))
        # As in `kgqa up`, the embedded model does not word the answers.
        asker = Asker(loaded.retriever, rewriter, None)
        replies = [await asker.ask(AskRequest(question=question), "bench") for question in questions]
        calls = models.rewriter.usage.calls, models.qa.usage.calls
    return replies, _figures(questions, replies, *calls)


def _figures(
    questions: Sequence[str], replies: Sequence[AskResponse], rewriter_calls: int, qa_calls: int
) -> dict[str, str]:
    number = len(replies)
    answered = [(q, reply) for q, reply in zip(questions, replies, strict=True) if reply.answers]
    warned = Counter(warning.kind for reply in replies for warning in reply.warnings)
    times = sorted(reply.timings_ms.total for reply in replies)
    return {
        "questions": str(number),
        "calls of the rewriter's model per question": f"{rewriter_calls / number:.2f}",
        "calls of the QA model per question": f"{qa_calls / number:.2f}",
        "prompt tokens per question": f"{mean(reply.usage.prompt_tokens for reply in replies):.0f}",
        "completion tokens per question": f"{mean(reply.usage.completion_tokens for reply in replies):.1f}",
        "texts with a name spelt differently": str(sum(bool(_respelt(reply)) for reply in replies)),
        "texts that say something beyond the evidence": str(sum(bool(_beyond(q, reply)) for q, reply in answered)),
        "answers that omit an answer, of at most 20": str(sum(map(_omits, (reply for _, reply in answered)))),
        "answers that are a sentence": f"{sum(_is_sentence(reply) for _, reply in answered)} of {len(answered)}",
        "replies with an unfaithful text": str(warned["unfaithful_text"]),
        "replies with an unsupported answer": str(warned["unsupported_answer"]),
        "time (ms): p50 / p99": f"{times[number // 2]:.0f} / {times[number * 99 // 100]:.0f}",
    }


def _names(reply: AskResponse) -> list[str]:
    facts = [triple for item in reply.evidence for triple in item.triples]
    topics = [topic.entity for topic in reply.topic_entities]
    return list(dict.fromkeys([*answer_names(reply.answers), *topics, *entity_names(facts)]))


def _texts(reply: AskResponse) -> list[str]:
    return [reply.answer, *(item.text for item in reply.evidence)] if reply.answers else []


def _respelt(reply: AskResponse) -> list[str]:
    quantities = grouped_quantities(triple for item in reply.evidence for triple in item.triples)
    return [name for text in _texts(reply) for name in respelt_names(text, _names(reply), also=quantities)]


def _beyond(question: str, reply: AskResponse) -> list[str]:
    facts = [triple for item in reply.evidence for triple in item.triples]
    relations = tuple(dict.fromkeys(triple.relation for triple in facts))
    counts = frozenset(map(str, range(len(facts) + len(reply.answers) + 1)))
    source = Source(tuple(_names(reply)), relations, question, counts)
    names = _names(reply)
    claims = [(text, without_remainder(text, names)[0]) for text in _texts(reply)]
    return [problem for text, claimed in claims for problem in find_hallucinations(text, source, claimed)]


def _omits(reply: AskResponse) -> bool:
    names = answer_names(reply.answers)
    return len(names) <= _MOST_NAMED and len(named(reply.answer, names)) < len(set(names))


def _is_sentence(reply: AskResponse) -> bool:
    rest = reply.answer
    for name in sorted(answer_names(reply.answers), key=len, reverse=True):
        rest = rest.replace(name, " ")
    return reply.answer.rstrip().endswith(".") and len(set(rest.replace(",", " ").split()) - {"and", "."}) > 1


def main() -> None:
    """Measure, print the figures, and save them if a column is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="KGQA_HOME; the demo graph is installed there")
    parser.add_argument("--count", type=int, default=200, help="number of questions (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed for sampling questions (default %(default)s)")
    parser.add_argument("--record", type=Path, help="JSON Lines file to write the replies to")
    parser.add_argument("--save", metavar="NAME", help="write the figures to docs/benchmarks.md, in the column NAME")
    arguments = parser.parse_args()
    os.environ["KGQA_HOME"] = str(arguments.home.absolute())
    commit = head()
    if needs_demo():
        install_demo()
    questions = read_questions([QUESTIONS], arguments.count, arguments.seed)
    replies, figures = asyncio.run(measure(questions))
    if arguments.record:
        pairs = zip(questions, replies, strict=True)
        lines = [json.dumps({"question": question} | reply.model_dump(mode="json")) for question, reply in pairs]
        arguments.record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2))
    if arguments.save:
        _save(arguments.save, figures, commit, arguments.count)


def _save(column: str, figures: dict[str, str], commit: str, count: int) -> None:
    file = RESULTS / "texts.json"
    kept = Section.model_validate_json(file.read_text(encoding="utf-8")).columns if file.is_file() else {}
    keep(
        "texts",
        Section(
            order=86,
            title="Texts of replies",
            note=(
                f"{count} questions of the demo graph's test set, drawn with seed 1, asked one at a time with the "
                "embedded language model and an empty cache. The texts are the answer and the texts of the evidence. A "
                "text says something beyond the evidence if the checks of [decision "
                "0001](decisions/0001-supported-words.md) find a word or a number that neither the evidence nor the "
                "question supports, apart from a phrase such as `12 more`. The machine was under load, which shows in "
                "the times."
            ),
            command="python -m bench.texts.demo --home DIR --save NAME",
            columns={**kept, column: figures},
            commit=commit,
        ),
    )


if __name__ == "__main__":
    main()
