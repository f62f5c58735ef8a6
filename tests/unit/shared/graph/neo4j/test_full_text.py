"""What is asked of Neo4j, where no server is needed to see that it is right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.graph.neo4j import steps, walk
from shared.graph.neo4j.cypher import identifier
from shared.graph.neo4j.full_text import exactly, similar, together_in_few
from shared.graph.store import Entity, WalkRule


@given(st.text(min_size=1))
def test_no_name_ends_its_own_quotes(name: str) -> None:
    quoted = identifier(name)
    inside = quoted[1:-1]
    assert quoted[0] == quoted[-1] == "`"
    assert "`" not in inside.replace("``", "")
    # Cypher reads these codes before it looks for the end.
    assert inside.replace("\\u005c", "\\").replace("``", "`") == name
    assert "\\" not in inside.replace("\\u005c", "")


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("alien", '"alien"'),
        ("tin star", '"tin star" OR "tin_star"'),
        ("obrien", '("obrien" OR "o\'brien")'),
        ("r a the man", '(("r a" OR "r.a") AND "the" AND "man") OR "r_a_the_man"'),
        (
            "20 000 leagues",
            '(("20 000" OR "20.000" OR "20,000") AND ("leagues" OR "l\'eagues" OR "league\'s")) OR "20_000_leagues"',
        ),
        ('"; MATCH (n) DELETE n', '("match" AND "n" AND ("delete" OR "d\'elete") AND "n") OR "match_n_delete_n"'),
        ("", ""),
        ("?!", ""),
    ],
)
def test_a_name_is_looked_for_in_all_ways_that_the_index_may_hold_it(name: str, query: str) -> None:
    assert exactly(name, ()) == query


def test_words_that_the_index_ignores_are_not_asked_for() -> None:
    assert exactly("the alien", {"the"}) == '"alien" OR "the_alien"'
    assert exactly("the", {"the"}) == ""


@given(st.text())
def test_no_name_breaks_the_syntax_of_a_query(name: str) -> None:
    for query in (exactly(name, ()), similar(name, ())):
        assert query.count('"') % 2 == 0
        assert query.count("(") == query.count(")")


def test_queries_are_joined_up_to_what_lucene_takes() -> None:
    queries = [f'("a{n}" AND "b{n}")' for n in range(1000)]
    joined = together_in_few(queries)
    assert " OR ".join(joined) == " OR ".join(queries)
    assert 2 < len(joined) < 10
    assert together_in_few([]) == []


def test_one_text_serves_all_questions_of_so_many_hops() -> None:
    one, other = Entity("1", "a"), Entity("2", "b")
    rule = WalkRule()
    asked = [walk.parameters([(topic, path)], rule, 9) for topic, path in ((one, ("r", "^s")), (other, ("t", "t")))]
    assert asked[0]["starts"][2][0] == {
        "number": 0, "topic": "1", "types": ["r", "s"], "forwards": [True, False], "later": [["s"], []],
    }  # fmt: skip
    assert asked[1]["starts"][2][0]["later"] == [["t"], []]
    assert walk.parameters([(one, ("r", "r"))], WalkRule("walk"), 9)["starts"][2][0]["later"] == [[], []]
    assert "UNWIND $starts[2]" in walk.walks_text(2)
    assert walk.walks_text(2) in walk.walks_text(3)


def test_hubs_are_asked_by_type_and_types_are_quoted() -> None:
    text = steps.steps_text(1, ("directed by", "odd`type"))
    assert "(n)-[:`directed by`]->()" in text
    assert "(n)<-[:`odd``type`]-()" in text
    assert steps.parameters([(Entity("1", "a"), ("r",))], ("r",))["steps"] == ["r", "^r"]


def test_a_misspelt_stop_word_is_not_looked_for() -> None:
    assert "off" not in similar("lord off rings", {"of", "the"})
    assert similar("off", {"of", "the"})
