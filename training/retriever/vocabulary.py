"""A vocabulary of its own for questions in a script that the pretrained encoder cannot read."""

import unicodedata
from collections.abc import Iterable
from itertools import chain

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from services.retriever.linking.mentions import MASK

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK]
_INNER = "##"  # before a piece that does not begin a word
_SIZE = 8000
_ENOUGH = 0.5


def is_latin(texts: Iterable[str]) -> bool:
    """Whether most letters of the texts are Latin: of others MiniLM's vocabulary has few, and training saw fewer."""
    letters = [letter for letter in chain.from_iterable(texts) if letter.isalpha()]
    latin = sum(letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return latin >= _ENOUGH * len(letters)


def own_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """A WordPiece tokenizer (Wu et al. 2016) for these texts; of characters where words have no blanks between them."""
    distinct = sorted(set(texts))
    learner = _tokenizer(None)
    # Left to itself the trainer numbers these as it meets them, in another order every time, and ties fall by number.
    inner = sorted({_INNER + letter for text in distinct for word in _words(learner, text) for letter in word[1:]})
    trainer = trainers.WordPieceTrainer(vocab_size=_SIZE, special_tokens=[*_SPECIAL, *inner], show_progress=False)
    learner.train_from_iterator(distinct, trainer)
    # Made anew, since to the learner the reserved pieces are special and would be found in the midst of a text.
    tokenizer = _tokenizer(learner.get_vocab())
    tokenizer.add_special_tokens(_SPECIAL)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return tokenizer


def _tokenizer(vocabulary: dict[str, int] | None) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _words(tokenizer: Tokenizer, text: str) -> list[str]:
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))]
