"""Prevent text from a graph or a user from ending its chat turn and starting a new one."""

import re

# The start of a control token, for any chat template: `<|im_end|>`, `</s>`, `<start_of_turn>`, `[INST]`.
_OPENING = re.compile(r"<(?=\S)|\[(?=/?INST\])")
# A control token up to the end of its word: `<|im_end`, `</script`.
_TOKEN = re.compile(rf"(?:{_OPENING.pattern})[^\w\s]*\w*\]?")


def escape_prompt(text: str) -> str:
    """Insert a space into everything that a tokenizer might read as a control token: `< |im_end|>`.

    Names that differ by such a space are equal after `shared.text.normalise`, and `unescape_completion` removes the
    space from generated text.
    """
    return _OPENING.sub(r"\g<0> ", text)


def unescape_completion(text: str, *sources: str) -> str:
    """Restore, in a model's text, the original spellings that `escape_prompt` changed in `sources`.

    A spelling stays escaped if the sources also contain it with the space, because the model may mean either one.
    """
    escaped = {token for source in sources for token in _TOKEN.findall(source)}
    for token in sorted(escaped, key=len, reverse=True):
        pattern = re.compile(rf"{re.escape(escape_prompt(token))}(?!\w)")
        if not any(pattern.search(source) for source in sources):
            text = token.join(pattern.split(text))
    return text
