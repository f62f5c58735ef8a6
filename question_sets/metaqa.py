"""MetaQA (Zhang et al., AAAI 2018; CC BY 3.0) into the project's own formats.

Reads the published layout, `kb.txt` and `{1,2,3}-hop/qa_{train,dev,test}.txt` with `qa_*_qtype.txt` beside them, each
plain or .xz, and the paraphrased `ntm_qa_*.txt` where there are any. A question type such as
`movie_to_director_to_movie` determines the gold relation path, since each pair of types has one relation.

The questions come from a few hundred templates, all of which occur in every split, so predicting paths there is looking
templates up. The split `unseen` is the honest one: its test questions are worded as none of its training questions is.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from question_sets.records import QuestionRecord, open_text
from question_sets.source import existing, required, rows, triple
from question_sets.writers import ConvertedFile, write_graph, write_questions
from shared.errors import InvalidInputError, NotFoundError

_HOPS = (1, 2, 3)
_SPLITS = ("train", "dev", "test")
_SEED = 0
_ONE_IN = 5
_TOPIC = re.compile(r"\[([^\[\]]+)\]")

# MetaQA's relations all have the movie as their subject.
_RELATION_OF = {
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


def convert_metaqa(source: Path, out: Path) -> list[ConvertedFile]:
    """Write `graph.tsv` and `{1,2,3}-hop-[ntm-]{train,dev,test}.jsonl`, whichever the source has, into `out`.

    Also `{1,2,3}-hop-unseen-{train,test}.jsonl`: training (or else dev) questions of four templates in five, and test
    questions of the others.

    Raises NotFoundError when `source` is not a MetaQA folder, InvalidInputError (file, line, reason) for a bad line.
    """
    knowledge = required(source, "kb.txt", "MetaQA")
    out.mkdir(parents=True, exist_ok=True)
    written = [write_graph(out / "graph.tsv", rows(knowledge, triple("|"), "subject|relation|object"))]
    for hop in _HOPS:
        vanilla, ntm = (_splits(source / f"{hop}-hop", prefix) for prefix in ("", "ntm_"))
        sets = {**vanilla, **{f"ntm-{split}": asked for split, asked in ntm.items()}, **_unseen(vanilla)}
        for name, asked in sets.items():
            written.append(write_questions(out / f"{hop}-hop-{name}.jsonl", (worded.record for worded in asked)))
    if len(written) == 1:
        raise NotFoundError(f"{source}: no questions in it; expected files such as {source}/1-hop/qa_dev.txt")
    return written


def relation_path(question_type: str) -> tuple[str, ...]:
    """The relation path of a question type: `movie_to_director_to_movie` -> (`directed_by`, `^directed_by`)."""
    types = question_type.split("_to_")
    steps = []
    for start, end in pairwise(types):
        if start == "movie":
            steps.append(_RELATION_OF[end])
        elif end == "movie":
            steps.append(f"^{_RELATION_OF[start]}")
        else:
            raise KeyError(question_type)
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class _Worded:
    """A question with the template that it was made from: its text with the topic entity left out."""

    template: str
    record: QuestionRecord


def _splits(folder: Path, prefix: str) -> dict[str, list[_Worded]]:
    """The questions of each split that the folder has."""
    files = {split: existing(folder / f"{prefix}qa_{split}.txt") for split in _SPLITS}
    return {split: list(_questions(file)) for split, file in files.items() if file}


def _unseen(splits: Mapping[str, list[_Worded]]) -> dict[str, list[_Worded]]:
    """The split by template; nothing where there are no test questions or none to train on."""
    training, test = splits.get("train") or splits.get("dev"), splits.get("test")
    if not training or not test:
        return {}
    held_out = _held_out_templates([*training, *test])
    return {
        "unseen-train": [worded for worded in training if worded.template not in held_out],
        "unseen-test": [worded for worded in test if worded.template in held_out],
    }


def _held_out_templates(questions: Iterable[_Worded]) -> set[str]:
    """A fifth of each relation path's templates, at least one where it has two."""
    by_path: dict[tuple[str, ...] | None, set[str]] = defaultdict(set)
    for worded in questions:
        by_path[worded.record.path].add(worded.template)
    random_ = random.Random(_SEED)
    held_out: set[str] = set()
    for _, templates in sorted(by_path.items(), key=lambda item: item[0] or ()):
        count = max(len(templates) // _ONE_IN, int(len(templates) > 1))
        held_out.update(random_.sample(sorted(templates), count))
    return held_out


def _questions(file: Path) -> Iterator[_Worded]:
    types_file = existing(file.with_name(file.name.split(".")[0].removeprefix("ntm_") + "_qtype.txt"))
    types = _lines(types_file) if types_file else None
    with open_text(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                path = relation_path(types[number - 1].strip()) if types else None
                yield _question(line.rstrip("\r\n"), path)
            except (KeyError, IndexError, ValueError) as error:
                raise InvalidInputError(
                    f"{file}, line {number}: expected `question with [topic]<TAB>answer|answer` and a question type "
                    f"in {types_file}: {error}"
                ) from error


def _lines(file: Path) -> list[str]:
    with open_text(file) as lines:
        return lines.read().split("\n")


def _question(line: str, path: tuple[str, ...] | None) -> _Worded:
    text, answers = line.split("\t")
    topic = _TOPIC.search(text)
    if topic is None:
        raise ValueError("no [topic entity] in brackets")
    record = QuestionRecord(
        question=_TOPIC.sub(r"\1", text),
        topic=topic.group(1),
        answers=tuple(dict.fromkeys(answers.split("|"))),
        path=path,
    )
    return _Worded(_TOPIC.sub("[]", text), record)
