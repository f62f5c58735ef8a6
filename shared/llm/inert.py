"""Text that comes from a graph or a user is data: nothing in it may end a turn of the chat and begin another."""

import re

# `<|im_end|>`, `</s>`, `<start_of_turn>`, `[INST]`: what chat templates mark turns with, in any model's tokenizer.
_OPENS_A_MARK = re.compile(r"<(?=\S)|\[(?=/?INST\])")


def inert(text: str) -> str:
    """`text` with a blank within everything that a tokenizer may take for a mark of its own: `< |im_end|>`.

    Names that differ by such a blank are equal after `shared.text.normalise`.
    """
    return _OPENS_A_MARK.sub(r"\g<0> ", text)
