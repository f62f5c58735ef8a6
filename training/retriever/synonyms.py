"""Synonyms of the words of training questions, from the word embeddings that the encoder brings along."""

from collections.abc import Iterable, Mapping, Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.retriever.augmentation import MARKS

# Nearer than this, the words of MiniLM's vocabulary are nearly all synonyms or other forms of a word.
_MIN_SIMILARITY = 0.4
_MOST_SYNONYMS = 6
_SHORTEST_SYNONYM = 3


def synonyms_in(tokenizer: Tokenizer, embeddings: Tensor, texts: Iterable[str]) -> dict[str, list[str]]:
    """For each word of the texts the words nearest to it that the texts do not hold, by MiniLM's word embeddings.

    Words that the texts hold are no synonyms even if near (`largest`, `smallest`): training tells itself what they
    mean. `embeddings`: [vocabulary, dim].
    """
    vocabulary = tokenizer.get_vocab()
    used = {word.strip(MARKS).lower() for text in texts for word in text.split()}
    others = sorted(word for word in vocabulary if _is_word(word) and word not in used)
    asked = sorted(word for word in used if word in vocabulary and _is_word(word))
    if not asked or not others:
        return {}
    similarity = _directions(embeddings, vocabulary, asked) @ _directions(embeddings, vocabulary, others).T
    nearest = similarity.topk(min(_MOST_SYNONYMS, len(others)), dim=1)
    found: dict[str, list[str]] = {}
    for word, values, columns in zip(asked, nearest.values.tolist(), nearest.indices.tolist(), strict=True):
        near = [others[column] for value, column in zip(values, columns, strict=True) if value >= _MIN_SIMILARITY]
        if near:
            found[word] = near
    return found


def _directions(embeddings: Tensor, vocabulary: Mapping[str, int], words: Sequence[str]) -> Tensor:
    """Unit vectors from the vocabulary's mean, which all words share."""
    rows = torch.tensor([vocabulary[word] for word in words])
    return torch.nn.functional.normalize(embeddings[rows] - embeddings.mean(dim=0), dim=1)


def _is_word(token: str) -> bool:
    return token.isascii() and token.isalpha() and len(token) >= _SHORTEST_SYNONYM
