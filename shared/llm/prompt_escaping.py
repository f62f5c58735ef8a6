"""Keep text from a graph or a user from ending its chat turn and beginning another one."""

import re

# The control tokens of chat templates, whatever the tokenizer: `<|im_end|>`, `</s>`, `<start_of_turn>`, `[INST]`.
_OPENING = re.compile(r"<(?=\S)|\[(?=/?INST\])")
# A control token with the word inside: `<|im_end`, `</script`.
_TOKEN = re.compile(rf"(?:{_OPENING.pattern})[^\w\s]*\w*\]?")


def escape_prompt(text: str) -> str:
    """Insert a space into everything that a tokenizer may read as a control token: `< |im_end|>`.

    Names that differ by such a space are equal after `shared.text.normalise`, and `unescape_completion` removes the
    space from what a model generates.
    """
    return _OPENING.sub(r"\g<0> ", text)


def unescape_completion(text: str, *sources: str) -> str:
    """Restore, in a model's text, the spellings of the sources that `escape_prompt` changed.

    A spelling remains escaped if the sources also contain it with the space, because the model may mean either.
    """
    escaped = {token for source in sources for token in _TOKEN.findall(source)}
    for token in sorted(escaped, key=len, reverse=True):
        pattern = re.compile(rf"{re.escape(escape_prompt(token))}(?!\w)")
        if not any(pattern.search(source) for source in sources):
            text = token.join(pattern.split(text))
    return text
