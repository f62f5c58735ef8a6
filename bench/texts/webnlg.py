"""Compare texts with the human references of the WebNLG challenge 2017.

python -m bench.texts.webnlg WEBNLG.tar.xz --home HOME [--count N] [--tuned ADAPTER] [--save]
python -m bench.texts.webnlg WEBNLG.tar.xz --home HOME --pairs FILE

WEBNLG.tar.xz contains the train set and `test/testdata_with_lex.xml` as published. The licence of the data
(CC BY-NC-SA 4.0) allows measuring only: nothing that ships is trained on it. The rewriter writes its text as in
`kgqa up`, with the embedded model. `--pairs` writes the train set for `kgqa train rewriter --pairs FILE --out ADAPTER`,
and `--tuned` measures that adapter, which writes every text from prompt T1. `bench.texts.meteor` says what METEOR
needs.
"""

import argparse
import asyncio
import json
import os
import random
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from bench.results import Section, head, keep
from bench.texts.meteor import meteor
from bench.texts.text_scores import bleu, chrf
from contracts.answers import EvidenceTriples
from contracts.rewrite import RewriteRequest, RewriteResponse
from evaluation.in_process import open_language_models
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from services.rewriter.prompts import rewrite_prompt
from shared.paths import DEMO_GRAPH
from shared.triple import Triple
from texts.verbalise.formats import as_triples
from texts.verbalise.template import as_sentences

_FILE, _TRAIN = "test/testdata_with_lex.xml", "/train/"
_MAX_TOKENS = 200
# The categories of the train set; those of the other entries are unseen.
_SEEN = {
    "Airport", "Astronaut", "Building", "City", "ComicsCharacter", "Food", "Monument", "SportsTeam", "University",
    "WrittenWork",
}  # fmt: skip
_NOTE = (
    "The test set of the WebNLG challenge 2017, entries of the ten categories of its train set (`seen`) and of five "
    "others (`unseen`). BLEU of lower-case words, chrF2, and METEOR as NLTK implements it, with all references. "
    "The licence of this data allows measuring only, so that nothing that ships is trained on it. `as shipped`: the "
    "text of the rewriter, which asks the embedded model only if at least half of the relations fit no clause. "
    "`tuned`: an adapter that continues from the packaged one, and learnt the {tuned} pairs of the train set, of which "
    "one percent was held out, in one pass with `kgqa train rewriter --pairs`; it writes every text by prompt T1, "
    "unchecked."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold facts, and the texts that people wrote for them."""

    is_seen: bool
    facts: tuple[Triple, ...]
    references: tuple[str, ...]


def read_entries(archive: Path, part: str = _FILE) -> list[Entry]:
    """Return the entries of the files whose path contains `part`, with names as people write them."""
    entries = []
    with tarfile.open(archive) as files:
        for name in sorted(name for name in files.getnames() if part in name and name.endswith(".xml")):
            content = files.extractfile(name)
            assert content is not None
            entries += [_entry(one) for one in ElementTree.parse(content).getroot().iter("entry")]
    return entries


def _entry(entry: ElementTree.Element) -> Entry:
    return Entry(
        is_seen=entry.attrib["category"] in _SEEN,
        facts=tuple(_fact(one.text or "") for one in entry.iterfind("modifiedtripleset/mtriple")),
        references=tuple(text for one in entry.iterfind("lex") if (text := (one.text or "").strip())),
    )


def write_pairs(entries: Sequence[Entry], file: Path) -> int:
    """Write each text of the entries with its prompt, in the format of RRA's pairs, and return their number."""
    pairs = [
        {"instruction": rewrite_prompt(as_triples(entry.facts)), "input": "", "output": text}
        for entry in entries
        for text in entry.references
    ]
    file.write_text(json.dumps(pairs, ensure_ascii=False) + "\n", encoding="utf-8")
    return len(pairs)


def _fact(line: str) -> Triple:
    subject, relation, object_ = (part.strip().strip('"').replace("_", " ") for part in line.split(" | "))
    return Triple(subject, relation.replace(" ", "_"), object_)


async def rewrite(entries: Sequence[Entry]) -> list[RewriteResponse]:
    """Return the rewriter's text for each entry."""
    async with open_language_models(DEMO_GRAPH) as models:
        rewriter = Rewriter(models.rewriter, InMemoryTextCache(10_000))
        requests = [RewriteRequest(evidence=[EvidenceTriples(triples=list(one.facts))]) for one in entries]
        return [await rewriter.rewrite(request) for request in requests]


def figures(entries: Sequence[Entry], texts: Sequence[str]) -> dict[str, str]:
    """Return the scores of texts."""
    references = [entry.references for entry in entries]
    return {
        "entries": str(len(entries)),
        "BLEU": f"{bleu(texts, references):.1f}",
        "chrF": f"{chrf(texts, references):.1f}",
        "METEOR": f"{meteor(texts, references):.3f}",
    }


def columns(
    entries: Sequence[Entry], written: Sequence[RewriteResponse], tuned: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return columns for the template, the rewriter, and the tuned texts, if any, of seen and unseen categories."""
    found: dict[str, dict[str, str]] = {}
    for name, is_seen in (("seen", True), ("unseen", False)):
        chosen = [(entry, one) for entry, one in zip(entries, written, strict=True) if entry.is_seen is is_seen]
        some = [entry for entry, _ in chosen]
        found[f"template, {name}"] = figures(some, [as_sentences(entry.facts) for entry in some])
        found[f"as shipped, {name}"] = figures(some, [one.text for _, one in chosen]) | {
            "texts by the model": str(sum(bool(one.usage.prompt_tokens) and not one.by_template for _, one in chosen)),
            "unfaithful texts, replaced": str(sum(one.by_template for _, one in chosen)),
        }
        if tuned:
            texts = [text for entry, text in zip(entries, tuned, strict=True) if entry.is_seen is is_seen]
            found[f"tuned, {name}"] = figures(some, texts)
    return found


def tuned_texts(entries: Sequence[Entry], adapter: Path) -> list[str]:
    """Return the adapter's text for each entry."""
    from bench.adapters.tuned_texts import texts_by  # needs the packages for training

    return texts_by(adapter, [rewrite_prompt(as_triples(entry.facts)) for entry in entries], _MAX_TOKENS)


def main() -> None:
    """Score the texts, print the figures, and save them if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, help="the challenge's data, as a tar file")
    parser.add_argument("--home", type=Path, required=True, help="KGQA_HOME, for the embedded model's log")
    parser.add_argument("--count", type=int, help="number of entries, drawn at random (default: all)")
    parser.add_argument("--tuned", type=Path, metavar="ADAPTER", help="folder of an adapter to measure as well")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="write the pairs of the train set, and end")
    parser.add_argument("--save", action="store_true", help="write the figures to docs/benchmarks.md")
    arguments = parser.parse_args()
    os.environ["KGQA_HOME"] = str(arguments.home.absolute())
    commit = head()
    learnt = read_entries(arguments.archive, _TRAIN)
    if arguments.pairs:
        print(f"wrote {write_pairs(learnt, arguments.pairs):,} pairs to {arguments.pairs}")
        return
    entries = read_entries(arguments.archive)
    if arguments.count:
        entries = random.Random(0).sample(entries, arguments.count)
    meteor(["a text"], [["a text"]])  # fails now if something is missing, not after the texts have been written
    tuned = tuned_texts(entries, arguments.tuned) if arguments.tuned else []
    found = columns(entries, asyncio.run(rewrite(entries)), tuned)
    for name, column in found.items():
        print(name, column)
    if arguments.save:
        command = "python -m bench.texts.webnlg WEBNLG.tar.xz --home DIR --tuned ADAPTER --save"
        note = _NOTE.format(tuned=f"{sum(len(one.references) for one in learnt):,}")
        keep("webnlg", Section(order=88, title="WebNLG 2017", note=note, command=command, columns=found, commit=commit))


if __name__ == "__main__":
    main()
