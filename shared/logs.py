"""Set up logging so that texts from graphs, requests, and servers cannot forge a record."""

import logging

from shared.escaping import line_text


class LineFormatter(logging.Formatter):
    """Begin each record at the margin, and indent its further lines, such as those of a traceback.

    Control characters are written out.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return "\n  ".join(map(line_text, super().format(record).split("\n")))


def log_to_stderr(level: str) -> None:
    """Write records of a level or above to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=level, handlers=[handler])
