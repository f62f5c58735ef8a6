import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rewriter.faithfulness import check_faithfulness
from services.rewriter.relation_checks import reversed_relations
from shared.triple import Triple
from texts.verbalise.template import as_sentences
from training.synthetic.evidence import verbalise_item
from training.synthetic.invented_graph import InventedGraph

HEAT = Triple("Heat", "directed_by", "Michael Mann")
PARIS = Triple("France", "capital", "Paris")
MEMBER = Triple("Ringo", "member_of", "The Beatles")
LYON = Triple("Lyon", "located_in", "France")
PLAYS = Triple("Messi", "plays_for", "Inter Miami")


@pytest.mark.parametrize(
    ("fact", "right", "inverse_step"),
    [
        (HEAT, "Heat was directed by Michael Mann.", "Michael Mann was directed by Heat."),
        (HEAT, "Michael Mann directed Heat.", "Heat directed Michael Mann."),
        (HEAT, "The director of Heat is Michael Mann.", "The director of Michael Mann is Heat."),
        (HEAT, "Heat's director is Michael Mann.", "Michael Mann's director is Heat."),
        (HEAT, "Michael Mann has directed Heat.", "Heat has directed Michael Mann."),
        (HEAT, "The film directed by Michael Mann is Heat.", "The man directed by Heat is Michael Mann."),
        (PARIS, "The capital of France is Paris.", "The capital of Paris is France."),
        (PARIS, "Paris is the capital city of France.", "France is the capital city of Paris."),
        (PARIS, "France has Paris as its capital.", "Paris has France as its capital."),
        (PARIS, "France, which has the capital of Paris.", "France is the capital of Paris."),
        (MEMBER, "Ringo is a member of The Beatles.", "The Beatles are members of Ringo."),
        (MEMBER, "The members of The Beatles include Ringo.", "The members of Ringo are The Beatles."),
        (LYON, "Lyon is located in France.", "France is located in Lyon."),
        (PLAYS, "Messi plays for Inter Miami.", "Inter Miami plays for Messi."),
        (Triple("Ann", "has_genre", "Drama"), "It falls under the genre of Drama: Ann.", "The genre of Drama is Ann."),
        (Triple("It", "won", "Oscar"), "It won Oscar.", "Oscar won It."),
        (Triple("A", "written_by", "B"), "B wrote A.", "A wrote B."),
        (Triple("A", "director", "B"), "B directed A.", "A directed B."),
    ],
)
def test_a_relation_that_is_reversed_relations_is_seen(fact: Triple, right: str, inverse_step: str) -> None:
    assert reversed_relations(right, [fact]) == []
    assert reversed_relations(inverse_step, [fact]) == [fact.relation]
    assert f"reverses {fact.relation!r}" in check_faithfulness(inverse_step, [fact])


def test_lists_are_read_as_one() -> None:
    facts = [HEAT, Triple("Ali", "directed_by", "Michael Mann")]
    assert reversed_relations("Michael Mann directed Heat and Ali.", facts) == []
    assert reversed_relations("Heat and Ali directed Michael Mann.", facts) == ["directed_by"]


def test_each_relation_of_a_chain_is_looked_at() -> None:
    facts = [HEAT, Triple("Michael Mann", "born_in", "Chicago")]
    assert reversed_relations("Heat was directed by Michael Mann, who was born in Chicago.", facts) == []
    assert reversed_relations("Heat was directed by Michael Mann. Chicago was born in Michael Mann.", facts) == [
        "born_in"
    ]


def test_one_who_did_two_things_is_no_mistake() -> None:
    facts = [HEAT, Triple("Heat", "written_by", "Michael Mann")]
    assert reversed_relations("Heat, directed by Michael Mann, was written by Michael Mann.", facts) == []
    assert reversed_relations("Heat was directed and written by Michael Mann.", facts) == []


def test_what_holds_both_ways_is_never_inverse_step() -> None:
    facts = [Triple("France", "borders", "Spain"), Triple("Spain", "borders", "France")]
    assert reversed_relations("Spain borders France.", facts) == []
    assert reversed_relations("Spain borders France.", facts[:1]) == ["borders"]


def test_relations_of_like_names_are_not_confused() -> None:
    facts = [Triple("Alien", "sequel", "Aliens"), Triple("Aliens", "sequel_of", "Alien")]
    assert reversed_relations("Aliens is the sequel of Alien.", facts) == []


def flipped(facts: Sequence[Triple], relation: str) -> list[Triple]:
    return [Triple(f.object, f.relation, f.subject) if f.relation == relation else f for f in facts]


def test_on_texts_of_every_kind_of_relation_it_errs_seldom() -> None:
    random_ = random.Random(5)
    texts = seen = relations = flagged = 0
    for number in range(1000):
        graph = InventedGraph(random_)
        item = graph.item(graph.path(1 + number % 3))
        text = verbalise_item(item, random_, 0.5) if number % 4 else as_sentences(item.triples)
        texts += 1
        flagged += bool(reversed_relations(text, item.triples))
        for relation in {fact.relation for fact in item.triples}:
            relations += 1
            seen += relation in reversed_relations(text, flipped(item.triples, relation))
    assert flagged / texts < 0.01
    assert seen / relations > 0.85


@given(
    st.text(), st.lists(st.builds(Triple, st.text(min_size=1), st.text(min_size=1), st.text(min_size=1)), max_size=4)
)
def test_it_takes_any_text(text: str, facts: list[Triple]) -> None:
    assert set(reversed_relations(text, facts)) <= {fact.relation for fact in facts}
