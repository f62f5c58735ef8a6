"""Import odd files of each kind and format, and compare the graphs with the valid ones.

`python -m bench.files.odd_files` saves the figures.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from bench.results import Section, head, keep
from tests.support.odd_files import ODDITIES, OUTCOMES, outcome
from tests.support.seeds import SEED

_FILES = 300
_NOTE = (
    "Small random graphs, written in each format with one oddity: {oddities}. Each import is compared with that of the "
    "valid file. The line is what the file says where a name has another letter, or where a value or a relationship is "
    "repeated. A refused import leaves nothing behind."
)


def main() -> None:
    """Import the files, and save how many ended in which way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=_FILES, help=f"number of files (default {_FILES})")
    options = parser.parse_args()
    commit = head()
    with tempfile.TemporaryDirectory() as folder:
        found = [
            outcome(seed, Path(folder) / str(seed)) for seed in range(SEED * _FILES, SEED * _FILES + options.files)
        ]
    counts = Counter((format_, result) for format_, _, result, _ in found)
    formats = list(dict.fromkeys(format_ for format_, *_ in found))
    columns = {
        format_: {"files": str(sum(counts[format_, one] for one in OUTCOMES))}
        | {one: str(counts[format_, one]) for one in OUTCOMES}
        for format_ in formats
    }
    command = f"KGQA_TEST_SEED={SEED} python -m bench.files.odd_files"
    note = _NOTE.format(oddities=", ".join(ODDITIES))
    keep("odd-files", Section(order=68, title="Odd files", note=note, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
