"""Count the Cypher queries of a corpus of questions that are read as plans.

    python -m bench.cypher.corpus_cypher CORPUS

CORPUS has a folder for each set, with `questions.jsonl.xz`: one question a line, with `query` and `language`.
"""

import argparse
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.results import Section, head, keep
from graph.cypher.reader import read_cypher
from shared.errors import InvalidInputError

_NOTE = (
    "Each query is read by `graph.cypher.reader.read_cypher`, without a schema. A query that plans cannot "
    "state is refused with the reason; whether the others keep their meaning is measured by the gold questions and by "
    "random Cypher."
)
_MAX_REASONS = 15
# Names and places in a reason differ from query to query.
_DETAILS = re.compile(r"'[^']*'|“[^”]*”|\"[^\"]*\"|line \d+, column \d+|\d+")


def main() -> None:
    """Read all queries, and save how many were read, and the commonest reasons for refusing the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="folder of the corpus")
    corpus = parser.parse_args().corpus
    commit, columns, reasons = head(), dict[str, dict[str, str]](), Counter[str]()
    total = Counter[str]()
    for file in sorted(corpus.glob("*/questions.jsonl.xz")):
        counts = Counter(_outcome(query, reasons) for query in _queries(file))
        if counts:
            columns[file.parent.name] = _column(counts)
            total += counts
            print(file.parent.name, columns[file.parent.name], flush=True)
    columns["all"] = _column(total)
    remarks = [f"refused: {number} x {reason}" for reason, number in reasons.most_common(_MAX_REASONS)]
    print(columns["all"], *remarks, sep="\n")
    keep(
        "corpus-cypher",
        Section(
            order=67,
            title="Cypher of other people's questions",
            note=_NOTE,
            command="python -m bench.cypher.corpus_cypher CORPUS",
            columns=columns,
            commit=commit,
            remarks=remarks,
        ),
    )


def _queries(file: Path) -> Iterator[str]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["language"] == "cypher":
                yield record["query"]


def _outcome(query: str, reasons: Counter[str]) -> str:
    try:
        read_cypher(query)
    except InvalidInputError as error:
        reasons[_DETAILS.sub("…", error.detail)] += 1
        return "refused"
    return "read"


def _column(counts: Counter[str]) -> dict[str, str]:
    return {
        "queries": f"{counts.total():,}",
        "read": f"{counts['read']:,}",
        "share": f"{counts['read'] / counts.total():.3f}",
    }


if __name__ == "__main__":
    main()
