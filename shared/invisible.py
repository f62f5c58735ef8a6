"""Removes characters that nobody sees from names and questions, so that what looks the same is the same.

Kept are those that a script or an emoji needs: joiners in Arabic and Indic scripts and within emoji, and zero-width
spaces between words of scripts that are written without blanks.
"""

import re

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

# Arabic and its relatives, scripts of India, Tibetan, Myanmar, Khmer, Mongolian, Indonesian scripts.
_JOINING = (
    r"\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\ua8ff\ua980-\ua9df\uaa00-\uabff\ufb50-\ufdff"
    r"\ufe70-\ufefc\U00010a00-\U00011fff"
)
_EMOJI = r"\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
# Thai, Lao, Myanmar, Khmer.
_WITHOUT_BLANKS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

_INVISIBLE = re.compile(
    # Soft hyphen, marks of writing direction, word joiner, operators, byte order mark.
    r"[\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
    rf"|(?<![{_WITHOUT_BLANKS}])\u200b"
    rf"|(?<![{_JOINING}])\u200c"
    rf"|(?<![{_JOINING}{_EMOJI}])\u200d|(?<![{_JOINING}])\u200d(?![{_EMOJI}])"
)


def without_invisible(text: str) -> str:
    """Remove invisible characters, and blanks around what is left if there were any."""
    if text.isascii():
        return text
    visible = _INVISIBLE.sub("", text)
    return text if visible == text else visible.strip()


def _validated(text: str) -> str:
    if not (visible := without_invisible(text)):
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return visible


VISIBLE = AfterValidator(_validated)
"""For a text of which something must be left without its invisible characters."""
