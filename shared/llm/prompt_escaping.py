"""Text that comes from a graph or a user is data: nothing in it may end a turn of the chat and begin another."""

import re

# `<|im_end|>`, `</s>`, `<start_of_turn>`, `[INST]`: what chat templates mark turns with, in any model's tokenizer.
_OPENS_A_MARK = re.compile(r"<(?=\S)|\[(?=/?INST\])")
# A mark with the word behind it: `<|im_end`, `</script`.
_MARK = re.compile(rf"(?:{_OPENS_A_MARK.pattern})[^\w\s]*\w*\]?")


def inert(text: str) -> str:
    """`text` with a blank within everything that a tokenizer may take for a mark of its own: `< |im_end|>`.

    Names that differ by such a blank are equal after `shared.text.normalise`. What a model then writes is turned back
    by `restored`.
    """
    return _OPENS_A_MARK.sub(r"\g<0> ", text)


def restored(text: str, *told: str) -> str:
    """A model's text with the names spelt as they were before `inert`, in what it was told: `</script>`.

    Where it was told a spelling with the blank as well, nobody can say which one it meant, and the text stays as it is.
    """
    marked = {mark for source in told for mark in _MARK.findall(source)}
    for mark in sorted(marked, key=len, reverse=True):
        blanked = re.compile(rf"{re.escape(inert(mark))}(?!\w)")
        if not any(blanked.search(source) for source in told):
            text = mark.join(blanked.split(text))
    return text
