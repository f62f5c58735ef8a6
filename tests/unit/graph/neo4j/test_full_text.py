import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.neo4j.full_text import combine_queries, exact_query, fuzzy_query


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
def test_a_name_is_searched_in_all_forms_that_the_index_may_hold(name: str, query: str) -> None:
    assert exact_query(name, ()) == query


def test_words_that_the_index_omits_are_not_searched() -> None:
    assert exact_query("the alien", {"the"}) == '"alien" OR "the_alien"'
    assert exact_query("the", {"the"}) == ""


@given(st.text())
def test_no_name_breaks_the_syntax_of_a_query(name: str) -> None:
    for query in (exact_query(name, ()), fuzzy_query(name, ())):
        assert query.count('"') % 2 == 0
        assert query.count("(") == query.count(")")


def test_queries_are_combined_up_to_the_term_limit() -> None:
    queries = [f'("a{n}" AND "b{n}")' for n in range(1000)]
    joined = combine_queries(queries)
    assert " OR ".join(joined) == " OR ".join(queries)
    assert 2 < len(joined) < 10
    assert combine_queries([]) == []


def test_a_misspelled_stop_word_is_not_searched() -> None:
    assert "off" not in fuzzy_query("lord off rings", {"of", "the"})
    assert fuzzy_query("off", {"of", "the"})
