"""Choose the main figures of bench/results, which the first page of the benchmarks shows."""

from dataclasses import dataclass

from bench.readme import HITS, ROWS, STRANGERS, STRANGERS_RIGHT, STRANGERS_WRONG, UNTRAINED, Row

_INVENTED = (("bakery", "bakery"), ("library", "library"), ("shipping", "shipping firm"), ("festival", "festival"))

ANSWERS = (
    Row("the demo graph, 816 questions in new wordings, trained on others", "world", "test", HITS, ""),
    Row("WebQSP, trained on its questions", "retriever-webqsp", "test, as served", HITS, ""),
    Row("ZJQA, in Chinese, trained on its questions", "retriever-zjqa", "valid, linked", HITS, ""),
    *ROWS,
    *(
        Row(f"the graph of an invented {name}, 70 everyday questions, {UNTRAINED}", STRANGERS, column,
            STRANGERS_RIGHT, STRANGERS_WRONG)
        for column, name in _INVENTED
    ),
)  # fmt: skip
"""Rows of question sets: the share answered right, and the share of confident answers that are wrong."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Say which figure makes a row; `of` names the measure that counts all cases, for a figure that is a count."""

    label: str
    section: str
    column: str
    measure: str
    of: str = ""
    unit: str = ""

    def written(self, columns: dict[str, dict[str, str]]) -> str:
        """Return the figure with its unit and interval, taken from the columns of its section."""
        figures = columns[self.column]
        number, bracket, interval = figures[self.measure].partition(" (")
        counted = f" of {figures[self.of]}" if self.of else ""
        return number + counted + (f" {self.unit}" if self.unit else "") + bracket + interval


OTHERS = (
    Figure("12 question sets together, strategy `auto`: first answer right", "strategies-mixed", "auto", "hit@1",
           unit="%"),
    Figure("the same, if the best strategy were known for each question", "strategies-mixed", "oracle", "hit@1",
           unit="%"),
    Figure("the embedded QA model on 2-hop questions of MetaQA, without facts", "knowledge-metaqa-2", "none", "hit@1",
           unit="%"),
    Figure("the same, with retrieved triples", "knowledge-metaqa-2", "RRA, triples", "hit@1", unit="%"),
    Figure("trusted questions in other wordings, by other people: served", "trusted_questions", "test by others",
           "served"),
    Figure("near misses of trusted questions: served", "trusted_questions", "test by others", "near misses served"),
    Figure("people's Cypher queries that are read as plans", "corpus-cypher", "all", "read", of="queries"),
    Figure("random plans over missing values and odd names: same rows on SQLite, on Neo4j, and by reference",
           "random-plans", "messy", "equal three ways", of="plans compared"),
    Figure("replies that differ between SQLite and Neo4j", "stores", "topic linked", "different replies",
           of="questions"),
    Figure("texts with an altered or invented name or value", "exact-names", "as served",
           "names or values altered or invented in a text", of="replies"),
    Figure("BLEU of WebNLG's unseen categories, as shipped", "webnlg", "as shipped, unseen", "BLEU"),
    Figure("a whole reply, one client, p50 / p99", "ask-speed", "grammar words the answers",
           "one client, ms (p50 / p99)", unit="ms"),
    Figure("`POST /retrieve`, 32 clients", "retriever-speed", "POST /retrieve, 32 clients", "requests per second",
           unit="requests/s"),
    Figure("importing 5.7 million triples", "retriever-scale", "5.7 M triples", "import, s", unit="s"),
    Figure("first start of `kgqa up`", "start", "kgqa up", "first start, s", unit="s"),
    Figure("wrong answers while Neo4j is frozen and killed", "faults", "neo4j", "wrong answers", of="requests"),
    Figure("requests of honest clients that fail beside attacks", "abuse", "under attack", "honest requests failed"),
    Figure("random requests to the answerer, answered as its OpenAPI document says", "fuzz", "answerer", "passed",
           of="requests"),
    Figure("odd TSV files that load a different graph silently", "odd-files", "TSV", "silently different", of="files"),
)  # fmt: skip
"""Rows of everything else that is measured."""
