from pathlib import Path

from question_sets.records import QuestionRecord, read_questions
from question_sets.unanswerable_graph import write_unanswerable_graph

FACTS = "Heat\tdirected_by\tMann\nAli\tdirected_by\tMann\nHeat\tyear\t1995\nAli\tyear\t2001\nJaws\tyear\t1975\n"


def test_the_last_triples_of_each_path_are_removed(tmp_path: Path) -> None:
    facts = tmp_path / "facts.tsv"
    facts.write_text(FACTS, encoding="utf-8")
    asked = QuestionRecord(
        question="years of Mann's films?", topic="Mann", answers=("1995", "2001"), path=("^directed_by", "year")
    )
    without, unknown = write_unanswerable_graph(facts, [asked], tmp_path)
    kept = without.read_text(encoding="utf-8").splitlines()
    assert kept == ["Heat\tdirected_by\tMann", "Ali\tdirected_by\tMann", "Jaws\tyear\t1975"]
    (question,) = read_questions(unknown)
    assert (question.question, question.topic, question.answers, question.path) == (asked.question, "Mann", (), ())
