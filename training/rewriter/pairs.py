"""Provide graph-text pairs for training the rewriter: prompt T1 with evidence, and sentences that state the evidence.

RRA generates the sentences with ChatGPT. `training_pairs` generates them from hand-written patterns, so the pairs copy
every name exactly and are free to use. `read_pairs` reads the pairs that `kgqa corpus build` writes, or the pairs
that RRA published.
"""

import json
import lzma
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from question_sets.records import open_text
from services.rewriter.prompts import rewrite_prompt
from shared.errors import InvalidInputError, NotFoundError
from shared.triple import Triple
from texts.verbalise.formats import as_triples
from training.lora.task import Pair
from training.synthetic.evidence import EvidenceItem, shorten, verbalise_item
from training.synthetic.invented_graph import InventedGraph
from training.synthetic.real_graph import RealGraph
from training.synthetic.relations import Relation, relations_by_name

_HOPS = [1, 1, 1, 2, 2, 2, 3]
_REAL_SHARE = 0.3
# The first pattern dominates, so that greedy decoding settles on it. The others prevent memorisation.
_USUAL_SHARE = 0.9
_MAX_CHARACTERS = 900


def training_pairs(
    count: int, facts: Sequence[Triple], seed: int = 13, wordings: Mapping[str, Relation] | None = None
) -> list[Pair]:
    """Generate pairs from the facts of a graph, if there are any, and from invented graphs with names in every style.

    Relations that are not in `wordings` get wordings derived from their names. The same seed gives the same pairs.
    """
    random_ = random.Random(seed)
    relations = relations_by_name({fact.relation for fact in facts}, wordings or {})
    pairs: list[Pair] = []
    for item in _items(RealGraph(facts, relations, random_) if facts else None, random_):
        triples = as_triples(item.triples)
        if len(triples) <= _MAX_CHARACTERS:
            pairs.append(Pair(rewrite_prompt(triples), verbalise_item(item, random_, _USUAL_SHARE)))
        if len(pairs) == count:
            return pairs
    return pairs


def _items(real: RealGraph | None, random_: random.Random) -> Iterator[EvidenceItem]:
    while True:
        if real and random_.random() < _REAL_SHARE:
            if item := real.item(random_.choice(_HOPS)):
                yield shorten(item, random_)
        else:
            graph = InventedGraph(random_)
            yield graph.item(graph.path(random_.choice(_HOPS)))


class _CorpusLine(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    facts: tuple[tuple[str, str, str], ...]
    text: str


class _Instruction(BaseModel):
    """Hold a pair in Stanford Alpaca's format: `instruction` (all of prompt T1 in RRA's pairs), then any `input`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    instruction: str
    input: str = ""
    output: str


_INSTRUCTIONS = TypeAdapter(list[_Instruction])


def read_pairs(file: Path) -> list[Pair]:
    """Read JSON Lines from `kgqa corpus build` or a JSON list as RRA published it; skip pairs without a text.

    Raise NotFoundError if the file does not exist, and InvalidInputError if it has neither format or contains no pairs.
    """
    try:
        with open_text(file) as lines:
            content = lines.read()
    except IsADirectoryError as error:
        raise InvalidInputError(f"{file} is a folder; specify a file of pairs in it") from error
    except FileNotFoundError as error:
        raise NotFoundError(f"pairs file not found: {file}") from error
    except (UnicodeDecodeError, lzma.LZMAError, EOFError) as error:
        raise InvalidInputError(f"{file}: not readable as UTF-8 text: {error}") from error
    if content.lstrip().startswith("["):
        pairs = _instructions(content, file)
    else:
        pairs = [_corpus_line(line, number, file) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    pairs = [pair for pair in pairs if pair.completion]
    if not pairs:
        raise InvalidInputError(f"{file} contains no pairs")
    return pairs


def _instructions(content: str, file: Path) -> list[Pair]:
    try:
        items = _INSTRUCTIONS.validate_json(content)
    except ValidationError as error:
        raise InvalidInputError(
            f"{file}: {_reason(error)}; expected objects with the fields instruction, input, and output"
        ) from error
    return [Pair("\n".join(filter(None, [item.instruction, item.input])), item.output.strip()) for item in items]


def _corpus_line(line: str, number: int, file: Path) -> Pair:
    try:
        item = _CorpusLine.model_validate(json.loads(line))
    except (ValueError, RecursionError) as error:
        reason = _reason(error) if isinstance(error, ValidationError) else "not JSON"
        raise InvalidInputError(
            f"{file}, line {number}: {reason}; expected the fields facts and text, as written by `kgqa corpus build`"
        ) from error
    facts = [Triple(*fact) for fact in item.facts]
    return Pair(rewrite_prompt(as_triples(facts)), item.text.strip())


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
