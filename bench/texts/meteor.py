"""Score texts against human references with METEOR, as NLTK implements it.

NLTK and WordNet are not installed with the project: `pip install nltk`, and Debian's packages `wordnet-base` and
`wordnet-sense-index`, which contain WordNet 3.0. Nothing is downloaded at run time. NLTK implements the METEOR of 2005:
exact words, stems, and synonyms, without the paraphrases of METEOR 1.5, which published WebNLG figures use.
"""

import atexit
import importlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import mean

from bench.texts.text_scores import words_and_marks

_WORDNET = Path("/usr/share/wordnet")
_LEXICOGRAPHER_FILES = 45


def meteor(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the mean METEOR score of texts, from 0 to 1, each with its best reference.

    Raises ModuleNotFoundError if NLTK is missing, and FileNotFoundError if WordNet is.
    """
    score = _scorer()
    return mean(
        score([words_and_marks(one) for one in written], words_and_marks(text))
        for text, written in zip(texts, references, strict=True)
    )


@cache
def _scorer() -> Callable[[Sequence[Sequence[str]], Sequence[str]], float]:
    """Return NLTK's function, which reads WordNet from a temporary copy until the process ends."""
    nltk = importlib.import_module("nltk")
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    copy = Path(folder.name) / "corpora" / "wordnet"
    shutil.copytree(_WORDNET, copy)
    # Debian leaves this list out. The score does not use it, but the reader does.
    lines = [f"{number:02d}\tfile{number}\t1\n" for number in range(_LEXICOGRAPHER_FILES)]
    (copy / "lexnames").write_text("".join(lines), encoding="utf-8")
    nltk.data.path.insert(0, folder.name)
    found: Callable[[Sequence[Sequence[str]], Sequence[str]], float] = importlib.import_module(
        "nltk.translate.meteor_score"
    ).meteor_score
    return found
