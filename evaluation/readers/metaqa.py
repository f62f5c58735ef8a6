"""MetaQA (Zhang et al., AAAI 2018; CC BY 3.0) into the project's own formats.

Reads the published layout, `kb.txt` and `{1,2,3}-hop/qa_{train,dev,test}.txt` with `qa_*_qtype.txt` beside them, each
plain or .xz. A question type such as `movie_to_director_to_movie` determines the gold relation path, since each pair
of types has one relation.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from evaluation.readers.source import existing, required, rows, triple
from evaluation.readers.written import ConvertedFile, write_graph, write_questions
from shared.errors import InvalidInputError, NotFoundError
from shared.questions import QuestionRecord, open_text

_HOPS = (1, 2, 3)
_SPLITS = ("train", "dev", "test")
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
    """Write `graph.tsv` and `{1,2,3}-hop-{train,dev,test}.jsonl`, whichever the source has, into `out`.

    Raises NotFoundError when `source` is not a MetaQA folder, InvalidInputError (file, line, reason) for a bad line.
    """
    knowledge = required(source, "kb.txt", "MetaQA")
    out.mkdir(parents=True, exist_ok=True)
    written = [write_graph(out / "graph.tsv", rows(knowledge, triple("|"), "subject|relation|object"))]
    for hop in _HOPS:
        for split in _SPLITS:
            file = existing(source / f"{hop}-hop" / f"qa_{split}.txt")
            if file is not None:
                written.append(write_questions(out / f"{hop}-hop-{split}.jsonl", _questions(file)))
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


def _questions(file: Path) -> Iterator[QuestionRecord]:
    types_file = existing(file.with_name(file.name.split(".")[0] + "_qtype.txt"))
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


def _question(line: str, path: tuple[str, ...] | None) -> QuestionRecord:
    text, answers = line.split("\t")
    topic = _TOPIC.search(text)
    if topic is None:
        raise ValueError("no [topic entity] in brackets")
    return QuestionRecord(
        question=_TOPIC.sub(r"\1", text),
        topic=topic.group(1),
        answers=tuple(dict.fromkeys(answers.split("|"))),
        path=path,
    )
