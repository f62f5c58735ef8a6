from contracts.retrieve import TopicEntity
from services.retriever.replies.clarifications import clarification


def _topic(id_: str, mention: str | None = "Ann Lee", detail: str | None = None) -> TopicEntity:
    return TopicEntity(entity="Ann Lee", id=id_, detail=detail, mention=mention, score=0.5)


def test_each_choice_says_what_tells_it_apart_and_how_to_ask_for_it() -> None:
    asked = clarification([_topic("p1", detail="born 1956"), _topic("p2", detail="born 1980")], {})

    assert asked is not None
    assert asked.question == "Which Ann Lee do you mean?"
    assert [choice.text for choice in asked.choices] == ["Ann Lee (born 1956)", "Ann Lee (born 1980)"]
    assert [choice.means for choice in asked.choices] == [{"Ann Lee": "p1"}, {"Ann Lee": "p2"}]


def test_kinds_tell_apart_where_no_fact_does_and_ids_where_no_kind_does() -> None:
    asked = clarification([_topic(one) for one in ("1", "2", "3")], {"1": "Person", "2": "Ship", "3": "Ship"})

    assert asked is not None
    assert [choice.text for choice in asked.choices] == ["Ann Lee (person)", "Ann Lee (2)", "Ann Lee (3)"]


def test_names_that_differ_are_told_apart_by_themselves() -> None:
    cities = [TopicEntity(entity=name, id=name, mention="Paris", score=0.5) for name in ("Paris", "Paris, Texas")]

    asked = clarification(cities, dict.fromkeys(("Paris", "Paris, Texas"), "City"))

    assert asked is not None
    assert [choice.text for choice in asked.choices] == ["Paris", "Paris, Texas"]


def test_nothing_is_asked_about_one_entity_or_about_a_name_that_is_not_written() -> None:
    assert clarification([_topic("1")], {}) is None
    assert clarification([], {}) is None
    assert clarification([_topic("1", None), _topic("2", None)], {}) is None
