"""Mask the topic mention of a question for the model.

The relation path that a question asks for does not depend on which entity it is about. The model therefore reads the
question with its topic mention masked, and works equally well for entities that no training question names.
"""

from language.mentions import Mention

MASK = "[MASK]"


def masked_question(text: str, mention: Mention | None) -> str:
    """Return the model's input: a question with the mention replaced by the mask token, and with single spaces."""
    if mention is not None:
        text = f"{text[: mention.start]} {MASK} {text[mention.end :]}"
    return " ".join(text.split())
