from services.retriever.plans.schema.kind_names import known_kinds, name_kind
from training.synthetic.plans import known_kinds as table


def test_a_kind_is_named_after_a_known_one_with_such_relations() -> None:
    assert name_kind(["directed_by", "written_by", "has_genre"], ()).name == "Film"


def test_a_kind_is_named_after_the_relation_to_it() -> None:
    assert name_kind(["^has_tags"], ()).name == "Tag"
    assert name_kind(["^uses_gadget"], ()).name == "Gadget"


def test_relations_to_a_kind_give_it_further_nouns() -> None:
    found = name_kind(["^client", "^impacted_cust", "hq_in"], ())
    assert {found.name.lower(), *found.synonyms} >= {"client", "customer"}


def test_the_subject_of_a_relation_that_ends_with_of_is_named_by_it() -> None:
    assert name_kind(["curator_of"], ()).name == "Curator"
    assert name_kind(["^curator_of"], ()).name == "Thing"


def test_a_participle_is_no_noun() -> None:
    assert name_kind(["^frobbed_to"], ()).name == "Thing"


def test_other_kinds_are_numbered() -> None:
    assert name_kind(["xqz"], ()).name == "Thing"
    assert name_kind(["xqz"], ("Thing", "Tag")).name == "Thing2"


def test_known_kinds_can_be_left_out() -> None:
    assert name_kind(["directed_by", "written_by", "has_genre"], (), frozenset(known_kinds())).name == "Thing"


def test_the_table_is_that_of_the_domains() -> None:
    assert known_kinds() == table.known_kinds(), "run python -m training.synthetic.plans.known_kinds"
