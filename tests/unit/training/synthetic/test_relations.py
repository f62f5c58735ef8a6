import random
from pathlib import Path

import pytest

from services.rewriter.faithfulness import check_faithfulness
from shared.errors import InvalidInputError, NotFoundError
from shared.triple import Triple
from training.synthetic.evidence import EvidenceItem, Step, verbalise_item
from training.synthetic.real_graph import RealGraph
from training.synthetic.relations import parse_relation, read_wordings, relations_by_name

WORLD = Path(__file__).parents[4] / "examples" / "world" / "relations.toml"


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("directed_by", {"A was directed by B.", "B directed A."}),
        ("written_by", {"A was written by B.", "B wrote A."}),
        ("starred_actors", {"The starred actor of A is B.", "B is the starred actor of A."}),
        ("has_genre", {"The genre of A is B."}),
        ("owned_by", {"A is owned by B."}),
        ("ledBy", {"A is led by B."}),
        ("located_in", {"A is located in B."}),
        ("borders", {"A borders B."}),
        ("member_of", {"A is a member of B."}),
        ("in_language", {"A: in language B."}),
        ("won", {"A: won B."}),
        ("is_alive", {"A: is alive B."}),
        ("x12", {"A: x12 B."}),
    ],
)
def test_a_relation_is_worded_by_the_form_of_its_name(relation: str, said: set[str]) -> None:
    (known,) = relations_by_name([relation], {}).values()
    item = EvidenceItem((Step(known, relation, False),), ("A",), ("B",))
    texts = {verbalise_item(item, random.Random(seed), usual=0.5) for seed in range(30)}
    assert said <= texts


def test_texts_with_derived_wordings_are_faithful() -> None:
    names = ["directed_by", "starred_actors", "has_genre", "release_year", "in_language", "born_in", "plays_for"]
    facts = [Triple(f"Film {n}", relation, f"Name {n % 7}") for n in range(40) for relation in names]
    graph = RealGraph(facts, relations_by_name(names, {}), random.Random(1))
    for number in range(300):
        item = graph.item(1 + number % 2)
        if item:
            text = verbalise_item(item, random.Random(number))
            assert check_faithfulness(text, item.triples) == [], text


def test_a_wordings_file_precedes_the_forms_of_names() -> None:
    wordings = read_wordings(WORLD)
    relations = relations_by_name(["area_km2", "serves", "directed_by"], wordings)
    assert relations["area_km2"].wording.one[0] == "{s} has an area of {o} square kilometres."
    assert relations["area_km2"].wording.one[1] == "The area of {s} is {o}."
    assert relations["serves"].wording.backward.questions[0] == "Which airports serve {x}?"
    assert relations["directed_by"].wording.backward.questions[0] == "Which ones were directed by {x}?"


def test_the_demos_wordings_cover_exactly_its_relations() -> None:
    import lzma

    with lzma.open(WORLD.parent / "graph.tsv.xz", "rt", encoding="utf-8") as lines:
        relations = {line.split("\t")[1] for line in lines}
    assert read_wordings(WORLD).keys() == relations - {"alias", ":LABEL"}


def test_notation() -> None:
    relation = parse_relation("time_zone state was/set/by_means_of UTC_offset", {"UTC offset": "person"})
    assert (relation.subject.noun, relation.words, relation.object.noun) == (
        "time zone",
        "set by means of",
        "UTC offset",
    )
    assert not relation.subject.is_person and relation.object.is_person


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[r", "not a TOML file"),
        ("r = 1", "r: .*write form ="),
        ("[r]\none = '{s} {o}'", "r.form: Field required"),
        ("[r]\nform = 'a noun b'", "r.form: .*not enough values"),
        ("[r]\nform = 'a adverb b c'", "r.form: .*no grammatical form 'adverb'"),
        ("[r]\nform = 'a by made b'", "r.form: .*no grammatical form 'by' of 1 word;"),
        ("[r]\nform = 'a noun b b'\none = 'no ends'", "r.one: .*must contain {s} and {o}"),
        ("[r]\nform = 'a noun b b'\nsaid = 'x'", "r.said: Extra inputs"),
    ],
)
def test_a_wordings_file_that_is_wrong_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "wordings.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=reason):
        read_wordings(file)
    with pytest.raises(NotFoundError, match="wordings file not found"):
        read_wordings(tmp_path / "missing.toml")
