"""A vocabulary of its own for questions in a script that the pretrained encoder cannot read."""

import unicodedata
from collections.abc import Iterable
from itertools import chain

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from services.retriever.mentions import MASK

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK]
_SIZE = 8000
_ENOUGH = 0.5


def is_latin(texts: Iterable[str]) -> bool:
    """Whether most letters of the texts are Latin: of others MiniLM's vocabulary has few, and training saw fewer."""
    letters = [letter for letter in chain.from_iterable(texts) if letter.isalpha()]
    latin = sum(letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return latin >= _ENOUGH * len(letters)


def own_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """A WordPiece tokenizer (Wu et al. 2016) for these texts; of characters where words have no blanks between them."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=_SIZE, special_tokens=_SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(sorted(set(texts)), trainer)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return tokenizer
