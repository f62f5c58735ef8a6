"""Count the names and values that texts and answers alter or invent, over several graphs.

python -m bench.texts.exact_names [--count N] [--seed N] [--model MODEL] --journal FILE [--save NAME]

Each reply is about the facts of one entity: the rewriter verbalises them, and the answerer answers a question about one
of its relations. The model `altering` takes what grammar writes and alters names on purpose: their case, accents,
marks, and digits, or it swaps parts of names. It is asked for each text, and so is the embedded model with `embedded`,
although grammar says most texts as well. With `served`, the embedded model is asked only where `kgqa up` asks it. Every
name is looked for literally, without the code of the checks. A run with the same journal continues where the last one
stopped.
"""

import argparse
import asyncio
import json
import lzma
import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.results import ROOT, Section, head, keep
from bench.texts.made_replies import SCORE, made_reply
from contracts.answers import UNFAITHFUL_TEXT, Answer, EvidenceTriples
from contracts.ask import AskRequest, AskResponse
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import RewriteRequest, RewriteResponse
from evaluation.in_process import open_language_models
from language.english.measures import grouped_quantities, with_units
from language.english.relation_words import in_words
from services.answerer.pipeline import Asker, Rewriting
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.generation import TextGenerator
from services.rewriter.pipeline import Rewriter
from shared.llm.client import LanguageModel
from shared.llm.usage import Usage
from shared.text import word_set
from shared.triple import Triple, entity_names
from texts.verbalise.paragraph import as_paragraph

_GRAPHS = {
    "demo": ROOT / "examples" / "world" / "graph.tsv.xz",
    "company": ROOT / "bench" / "questions" / "company" / "graph.tsv",
    "identifiers": ROOT / "bench" / "texts" / "identifiers.tsv",
    "scripts": ROOT / "bench" / "texts" / "scripts.tsv",
}
_MOST_FACTS = 8
# What texts say around names, besides the words of relations.
_SAID = word_set(
    "a an the this that these those it its in of on at by for from to with and or is are was were has have had be "
    "whose which who among them as also while both graph lists more answer answers no yes not i don t know s him her"
)
_ALTERING, _EMBEDDED, _SERVED = "altering", "embedded", "served"
_KINDS = ("altered or invented in a text", "altered or invented in an answer")


class AlteringModel:
    """Implement `LanguageModel` with a text in which some of the names are altered."""

    name = "altering"

    def __init__(self, draw: random.Random) -> None:
        self.usage = Usage()
        self.facts: list[Triple] = []
        self._draw = draw

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Return the text of grammar with altered names."""
        self.usage += Usage(calls=1)
        text, names = as_paragraph(self.facts), entity_names(self.facts)
        for name in self._draw.sample(names, min(len(names), self._draw.randint(1, 2))):
            text = text.replace(name, self._draw.choice(_ALTERATIONS)(name, names), 1)
        return text

    async def ready(self) -> bool:
        """Return True."""
        return True

    async def close(self) -> None:
        """Do nothing."""


def _without_marks(name: str, _: Sequence[str]) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


_ALTERATIONS: tuple[Callable[[str, Sequence[str]], str], ...] = (
    lambda name, _: name.lower(),
    lambda name, _: name.upper(),
    lambda name, _: name.title(),
    _without_marks,
    lambda name, _: re.sub(r"[^\w\s]", "", name),
    lambda name, _: re.sub(r"[-_/.]", " ", name),
    lambda name, _: re.sub(r"\d", "7", name, count=1),
    lambda name, _: name[:-1],
    lambda name, _: name.split()[0],
    lambda name, _: name.split()[-1],
    lambda name, names: re.split(r"[\s-]", name)[0] + "-" + re.split(r"[\s-]", names[-1])[-1],
    lambda name, names: f"{name.split()[0]} {names[0].split()[-1]}",
    lambda name, _: name + "s",
    lambda name, _: f"{name} and Mordor",
)


class _Given:
    """Return what a reply is about, in place of the retriever."""

    def __init__(self) -> None:
        self.response: RetrieveResponse | None = None

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        assert self.response
        return self.response


class _EveryText:
    """Ask a model for each text, also where grammar would say it as well."""

    def __init__(self, model: LanguageModel) -> None:
        self._generator = TextGenerator(model)

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        facts = request.evidence[0].triples
        text = await self._generator.generate(facts)
        said = text or as_paragraph(facts)
        return RewriteResponse(texts=[said], text=said, degraded=[] if text else [UNFAITHFUL_TEXT], cached=0)


class _KeptTexts:
    """Keep the text that the rewriter gives the answerer."""

    def __init__(self, rewriter: Rewriting) -> None:
        self.kept = RewriteResponse(texts=[], degraded=[], cached=0)
        self._rewriter = rewriter

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        self.kept = await self._rewriter.rewrite(request)
        return self.kept


def read_cases(count: int, seed: int) -> Iterator[tuple[str, list[Triple]]]:
    """Yield `count` sets of facts, in turn from each graph; the facts of a set have one subject."""
    draw = random.Random(seed)
    graphs = {name: _by_subject(path) for name, path in _GRAPHS.items()}
    for number in range(count):
        name = list(graphs)[number % len(graphs)]
        facts = graphs[name][draw.choice(list(graphs[name]))]
        yield name, draw.sample(facts, min(len(facts), draw.randint(1, _MOST_FACTS)))


def _by_subject(path: Path) -> dict[str, list[Triple]]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    facts: dict[str, list[Triple]] = defaultdict(list)
    for row in rows:
        if not row[1].startswith(":") and row[1] != "alias":
            facts[row[0]].append(Triple(*row))
    return facts


def not_copied(text: str, facts: Sequence[Triple], question: str, names: Sequence[str] = ()) -> list[str]:
    """Return the words of a text that remain without its names, copied literally, and that may be names or values."""
    shown = {value for fact in facts for value in with_units(fact.relation, [fact.object])[1]}
    shown |= set(grouped_quantities(facts).values())
    rest = text
    for name in sorted({*entity_names(facts), *names, *shown}, key=len, reverse=True):
        bare = re.escape(name)
        rest = re.sub(rf"(?<!\w){bare}(?!\w)" if name[:1].isalnum() and name[-1:].isalnum() else bare, " ", rest)
    allowed = set(re.findall(r"\w+", " ".join(in_words(fact.relation) for fact in facts)))
    allowed |= {*re.findall(r"\w+", question), *map(str, range(len(facts) + 1))}
    parts = {word.casefold() for name in entity_names(facts) for word in re.findall(r"\w+", name)}
    found = []
    for word in re.findall(r"\w+", rest):
        is_said = word in allowed or word.lower() in _SAID or word.lower() in {one.lower() for one in allowed}
        if not is_said and (not word.islower() or word.casefold() in parts):
            found.append(word)
    return found


def _retrieved(facts: Sequence[Triple]) -> RetrieveResponse:
    first = facts[0]
    said = [fact for fact in facts if fact.relation == first.relation]
    rest = [fact for fact in facts if fact.relation != first.relation]
    answers = [Answer(value=fact.object, score=SCORE, evidence=[0]) for fact in said]
    return made_reply(first.subject, [first.relation], answers, [EvidenceTriples(triples=[*said, *rest])])


@asynccontextmanager
async def _models(name: str, seed: int) -> AsyncIterator[tuple[Rewriting, LanguageModel | None, AlteringModel | None]]:
    if name == _ALTERING:
        model = AlteringModel(random.Random(seed))
        yield _EveryText(model), model, model
        return
    async with open_language_models("world") as models:
        if name == _SERVED:
            yield Rewriter(models.rewriter, InMemoryTextCache()), None, None
        else:
            yield _EveryText(models.rewriter), models.qa, None


async def measure(journal: Path, count: int, seed: int, model: str) -> list[dict[str, Any]]:
    """Write one line for each reply to the journal, and return all of them; lines that exist are not repeated."""
    done = _read(journal)
    async with _models(model, seed + len(done)) as (rewriting, answering, altering):
        given, texts = _Given(), _KeptTexts(rewriting)
        asker = Asker(given, texts, answering)
        with journal.open("a", encoding="utf-8") as out:
            for number, (graph, facts) in enumerate(read_cases(count, seed)):
                if number < len(done):
                    continue
                if altering:
                    altering.facts = facts
                line = await _reply(asker, given, texts, graph, facts)
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
                out.flush()
                done.append(line)
    return done[:count]


def _read(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()] if journal.is_file() else []


async def _reply(asker: Asker, given: _Given, texts: _KeptTexts, graph: str, facts: Sequence[Triple]) -> dict[str, Any]:
    given.response = _retrieved(facts)
    question = f"What is the {in_words(facts[0].relation)} of {facts[0].subject}?"
    response: AskResponse = await asker.ask(AskRequest(question=question), "bench")
    return {
        "graph": graph,
        "question": question,
        "text": texts.kept.text,
        "answer": response.answer,
        "warnings": [warning.kind for warning in response.warnings],
        _KINDS[0]: not_copied(texts.kept.text, facts, ""),
        _KINDS[1]: not_copied(response.answer, facts, question),
    }


def figures(lines: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Count the replies in which a name or a value is not copied, and the texts that were replaced."""
    warned = Counter(kind for line in lines for kind in line["warnings"])
    graphs = Counter(line["graph"] for line in lines)
    counts = {f"names or values {kind}": str(sum(bool(line[kind]) for line in lines)) for kind in _KINDS}
    return {
        "replies": f"{len(lines):,}, from {len(graphs)} graphs",
        **counts,
        "texts replaced by grammar": str(warned["unfaithful_text"]),
        "answers replaced by grammar": str(warned["unsupported_answer"]),
    }


def main() -> None:
    """Measure, print the figures, and save them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="number of replies (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default %(default)s)")
    choices = (_ALTERING, _EMBEDDED, _SERVED)
    parser.add_argument("--model", choices=choices, default=_ALTERING, help="what writes (default %(default)s)")
    parser.add_argument("--journal", type=Path, required=True, help="JSON Lines file with one line for each reply")
    parser.add_argument("--save", metavar="NAME", help="write the figures to docs/benchmarks.md, in the column NAME")
    arguments = parser.parse_args()
    commit = head()
    lines = asyncio.run(measure(arguments.journal, arguments.count, arguments.seed, arguments.model))
    measured = figures(lines)
    print(json.dumps(measured, indent=2))
    for line in lines:
        if line[_KINDS[0]] or line[_KINDS[1]]:
            print(json.dumps(line, ensure_ascii=False))
    if arguments.save:
        _save(arguments.save, measured, commit)


def _save(column: str, measured: dict[str, str], commit: str) -> None:
    file = ROOT / "bench" / "results" / "exact-names.json"
    kept = Section.model_validate_json(file.read_text(encoding="utf-8")).columns if file.is_file() else {}
    keep(
        "exact-names",
        Section(
            order=87,
            title="Names and values in texts and answers",
            note=(
                "Replies about entities of the demo graph, the company graph, and two small graphs of identifiers and "
                "of names in other scripts. The altering model changes one or two names of each text on purpose. It "
                "writes each text, and so does the embedded model, except for `as served`: there, grammar writes most "
                "texts and all answers, as in `kgqa up`. "
                "A word that is neither part of a name, copied literally, nor of the relations or the question "
                "counts as altered or invented if it may be a name or a value."
            ),
            command="python -m bench.texts.exact_names --model M --journal FILE --save NAME",
            columns={**kept, column: measured},
            commit=commit,
        ),
    )


if __name__ == "__main__":
    main()
