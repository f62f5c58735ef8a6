"""Convert MetaQA (Zhang et al., AAAI 2018; CC BY 3.0).

Reads the published layout: `kb.txt`, `{1,2,3}-hop/qa_{train,dev,test}.txt` with `qa_*_qtype.txt` in the same folder,
and the paraphrased `ntm_qa_*.txt` if they exist. Each file is plain or .xz. A question type such as
`movie_to_director_to_movie` determines the gold relation path, because only one relation connects each pair of types.

The questions come from a few hundred templates, all of which occur in every split, so predicting their paths amounts to
looking up templates. The split `unseen` tests generalisation: its test questions use none of its training templates.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from graph.store import INVERSE
from question_sets.conversion import OutputFolder, find_file, parse_lines, parse_triples, require_file
from question_sets.records import QuestionRecord, open_text
from shared.errors import NotFoundError

_HOPS = (1, 2, 3)
_SPLITS = ("train", "dev", "test")
_SEED = 0
_HELD_OUT_ONE_IN = 5
_TOPIC = re.compile(r"\[([^\[\]]+)\]")

_RELATIONS = {
    "actor": "starred_actors",
    "director": "directed_by",
    "writer": "written_by",
    "year": "release_year",
    "genre": "has_genre",
    "language": "in_language",
    "tags": "has_tags",
    "tag": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}
# The movie is the subject of every relation in MetaQA.
_STEPS = {("movie", kind): relation for kind, relation in _RELATIONS.items()}
_STEPS |= {(kind, "movie"): INVERSE + relation for kind, relation in _RELATIONS.items()}


# A question's template, which is its text without the topic entity, and the question itself.
_TemplatedQuestion = tuple[str, QuestionRecord]


def convert_metaqa(source: Path, out: Path) -> dict[Path, int]:
    """Write `graph.tsv` and the available `{1,2,3}-hop-[ntm-]{train,dev,test}.jsonl` into `out`.

    Also write `{1,2,3}-hop-unseen-{train,test}.jsonl`. The first contains the training questions for four out of five
    templates, or the dev questions if there are no training questions. The second contains the test questions for the
    remaining templates.
    """
    knowledge = require_file(source, "kb.txt", "MetaQA")
    output = OutputFolder(out)
    output.write_graph("graph.tsv", parse_triples(knowledge, "|"))
    for hop in _HOPS:
        vanilla, ntm = (_splits(source / f"{hop}-hop", prefix) for prefix in ("", "ntm_"))
        sets = {**vanilla, **{f"ntm-{split}": questions for split, questions in ntm.items()}, **_unseen(vanilla)}
        for name, questions in sets.items():
            output.write_questions(f"{hop}-hop-{name}.jsonl", (record for _, record in questions))
    if len(output.written) == 1:
        raise NotFoundError(f"{source} contains no questions; expected files such as {source}/1-hop/qa_dev.txt")
    return output.written


def relation_path(question_type: str) -> tuple[str, ...]:
    """Return the relation path for a question type: `movie_to_director_to_movie` -> (`directed_by`, `^directed_by`)."""
    try:
        return tuple(_STEPS[pair] for pair in pairwise(question_type.split("_to_")))
    except KeyError as error:
        raise ValueError(f"unknown question type {question_type!r}") from error


def _splits(folder: Path, prefix: str) -> dict[str, list[_TemplatedQuestion]]:
    files = {split: find_file(folder / f"{prefix}qa_{split}.txt") for split in _SPLITS}
    return {split: list(_questions(file)) for split, file in files.items() if file}


def _unseen(splits: Mapping[str, list[_TemplatedQuestion]]) -> dict[str, list[_TemplatedQuestion]]:
    """Return the questions split by template, or nothing if there are no test questions or none to train on."""
    training, test = splits.get("train") or splits.get("dev"), splits.get("test")
    if not training or not test:
        return {}
    held_out = _held_out_templates([*training, *test])
    return {
        "unseen-train": [(template, record) for template, record in training if template not in held_out],
        "unseen-test": [(template, record) for template, record in test if template in held_out],
    }


def _held_out_templates(questions: Iterable[_TemplatedQuestion]) -> set[str]:
    """Draw a fifth of the templates for each relation path, but at least one if there are two or more."""
    by_path: dict[tuple[str, ...] | None, set[str]] = defaultdict(set)
    for template, record in questions:
        by_path[record.path].add(template)
    random_ = random.Random(_SEED)
    held_out: set[str] = set()
    for _, templates in sorted(by_path.items(), key=lambda item: item[0] or ()):
        count = max(len(templates) // _HELD_OUT_ONE_IN, int(len(templates) > 1))
        held_out.update(random_.sample(sorted(templates), count))
    return held_out


def _questions(file: Path) -> Iterator[_TemplatedQuestion]:
    types_file = find_file(file.with_name(file.name.split(".")[0].removeprefix("ntm_") + "_qtype.txt"))
    types = None
    if types_file:
        with open_text(types_file) as lines:
            types = iter(lines.read().split("\n"))

    def parse(line: str) -> _TemplatedQuestion:
        text, answers = line.split("\t")
        topic = _TOPIC.search(text)
        if topic is None:
            raise ValueError("the question has no topic entity in brackets")
        record = QuestionRecord(
            question=_TOPIC.sub(r"\1", text),
            topic=topic.group(1),
            answers=tuple(dict.fromkeys(answers.split("|"))),
            path=relation_path(next(types, "").strip()) if types else None,
        )
        return _TOPIC.sub("[]", text), record

    return parse_lines(file, parse, f"`question with [topic]<TAB>answer|answer` and a question type in {types_file}")
