from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from language.values import QuestionValue, ValueForm
from services.retriever.plans.names import stored_texts
from services.retriever.plans.names.stored_texts import build_value_index
from services.retriever.plans.names.value_index import ValueIndex
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

_GRAPH = PropertyGraph(
    (
        Node(
            0, frozenset({"Film"}), {"title": "The Lord of the Rings", "genre": "Comedy", "tags": ("ring quest", "elf")}
        ),
        Node(1, frozenset({"Film"}), {"title": "Rings", "genre": "Horror", "tags": ("sequel",)}),
        Node(2, frozenset({"Film"}), {"title": "1984", "genre": "Drama", "tags": ()}),
        Node(3, frozenset({"Person"}), {"name": "Sinéad O'Connor", "job": "Director"}),
        Node(4, frozenset({"Person"}), {"name": "Who", "job": "Singer"}),
        Node(5, frozenset({"Person"}), {"name": "x" * 200, "job": "Singer"}),
    ),
    (Relationship(0, "MADE", 3, 0, {"role": "Producer"}),),
)


class _Indexed:
    def __init__(self, elements: SchemaElements, index: ValueIndex) -> None:
        self._elements = elements
        self._index = index

    def stored(self, question: str) -> dict[str, dict[str, object]]:
        """Return what the graph stores for each text of a question, by key."""
        return {
            value.text: {self._elements.properties[number].key: text for number, text in value.stored.items()}
            for value in self._index.values(english(question))
            if value.stored
        }

    def names(self, question: str) -> dict[str, set[object]]:
        """Return the names that the texts of a question stand for."""
        return {
            value.text: set(value.stored.values()) for value in self._index.values(english(question)) if value.stored
        }

    def values(self, question: str) -> list[QuestionValue]:
        return self._index.values(english(question))

    def forms(self, question: str) -> dict[str, ValueForm]:
        return {value.text: value.form for value in self._index.values(english(question))}


async def _indexed(folder: Path, graph: PropertyGraph = _GRAPH) -> _Indexed:
    write_graph_file(graph, folder / "graph.sqlite")
    store = SqliteGraphStore(folder / "graph.sqlite")
    try:
        elements = SchemaElements.of(await store.schema())
        return _Indexed(elements, await build_value_index(await GraphView.of(store), elements))
    finally:
        await store.close()


@pytest.fixture
async def graph(tmp_path: Path) -> _Indexed:
    return await _indexed(tmp_path)


def test_a_stored_text_is_found_whatever_its_case(graph: _Indexed) -> None:
    assert graph.stored("who made the lord of the rings?") == {
        "the lord of the rings": {"title": "The Lord of the Rings"}
    }


def test_a_longer_text_hides_the_texts_inside_it(graph: _Indexed) -> None:
    assert graph.stored("Who made the lord of the rings?").keys() == {"the lord of the rings"}
    assert graph.stored("Who made rings?") == {"rings": {"title": "Rings"}}


def test_a_quoted_text_is_found_as_a_whole_only(graph: _Indexed) -> None:
    assert graph.stored("Who made 'Rings'?") == {"Rings": {"title": "Rings"}}
    assert graph.stored("Who made 'Rings of fire'?") == {}


def test_accents_and_apostrophes_are_ignored(graph: _Indexed) -> None:
    assert graph.stored("Who is sinead o'connor?") == {"sinead o'connor": {"name": "Sinéad O'Connor"}}


@pytest.mark.parametrize(
    ("question", "key", "stored"),
    [
        ("Which comedies are long?", "genre", "Comedy"),
        ("Who directed it?", "job", "Director"),
        ("Which singers are old?", "job", "Singer"),
        ("Who produced it?", "role", "Producer"),
    ],
)
def test_inflected_categories_are_found(graph: _Indexed, question: str, key: str, stored: str) -> None:
    assert [found for found in graph.stored(question).values() if found == {key: stored}]


def test_items_of_lists_are_found(graph: _Indexed) -> None:
    assert graph.stored("Which films are about a ring quest or an elf?") == {
        "ring quest": {"tags": "ring quest"},
        "elf": {"tags": "elf"},
    }


def test_a_stated_number_that_the_graph_stores_as_text_keeps_its_form(graph: _Indexed) -> None:
    assert graph.forms("Who made 1984?") == {"1984": ValueForm.YEAR}
    assert graph.stored("Who made 1984?") == {"1984": {"title": "1984"}}


def test_words_that_are_common_in_questions_are_no_values(graph: _Indexed) -> None:
    assert graph.stored("Who are you?") == {}


def test_long_texts_are_not_indexed(graph: _Indexed) -> None:
    assert graph.stored(f"Who is {'x' * 200}?") == {}


async def test_properties_with_many_values_are_not_matched_by_stem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_texts, "_FEW", 1)
    graph = await _indexed(tmp_path)
    assert graph.stored("Which comedies are long?") == {}
    assert graph.stored("Which comedy is long?") == {"comedy": {"genre": "Comedy"}}


async def test_the_number_of_values_of_a_property_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_texts, "MAX_DISTINCT", 1)
    graph = await _indexed(tmp_path)
    assert len(graph.stored("Comedy, Horror, Drama")) == 1


def test_a_question_without_words_has_no_values(graph: _Indexed) -> None:
    assert graph.stored("?!") == {}


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("Who made The Lord of the Rings 1984?", "1984?"),
        ("What about Rings has Sinéad O'Connor made?", "Rings has"),
        ("Who could I ask about Rings?", "I"),
    ],
)
async def test_parts_of_stored_texts_and_words_around_them_are_no_values(
    graph: _Indexed, question: str, absent: str
) -> None:
    assert absent not in graph.forms(question)
    assert graph.stored(question)


async def test_a_word_that_only_one_value_of_a_category_has_stands_for_it(tmp_path: Path) -> None:
    sides = ("left side", "right side", "left side")
    nodes = [Node(n, frozenset({"Country"}), {"name": f"Land {n}", "traffic": side}) for n, side in enumerate(sides)]
    write_graph_file(PropertyGraph(tuple(nodes), ()), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    elements = SchemaElements.of(await store.schema())
    indexed = _Indexed(elements, await build_value_index(await GraphView.of(store), elements))
    await store.close()

    assert indexed.stored("Where do they keep to the left?") == {"left": {"traffic": "left side"}}
    assert indexed.stored("Where is the land on the other side?") == {}


_PLACES = PropertyGraph(
    (
        Node(0, frozenset({"Country"}), {"name": "Japan"}),
        Node(1, frozenset({"Country"}), {"name": "United States"}),
        Node(2, frozenset({"Language"}), {"name": "Japanese"}),
        Node(3, frozenset({"Currency"}), {"name": "Moroccan Dirham"}),
    ),
    (),
)


@pytest.fixture
async def places(tmp_path: Path) -> _Indexed:
    return await _indexed(tmp_path, _PLACES)


@pytest.mark.parametrize("adjective", ["Japanese", "japanese"])
def test_an_adjective_before_a_noun_is_the_place_whatever_its_case(places: _Indexed, adjective: str) -> None:
    assert places.names(f"Which {adjective} prefectures are large?") == {adjective: {"Japan"}}


@pytest.mark.parametrize("question", ["Who speaks Japanese?", "Where is neither Welsh nor Japanese official?"])
def test_a_question_about_languages_does_not_mean_the_place(places: _Indexed, question: str) -> None:
    assert places.names(question) == {"Japanese": {"Japanese"}}


def test_an_adjective_may_be_the_place_or_the_language(places: _Indexed) -> None:
    assert places.names("Which of them are Japanese?") == {"Japanese": {"Japan", "Japanese"}}


def test_an_abbreviation_is_the_place_and_a_pronoun_is_not(places: _Indexed) -> None:
    assert places.names("Which US states are large?") == {"US": {"United States"}}
    assert places.names("Which of them concern us?") == {}
    assert places.names("WHICH OF THEM CONCERN US?") == {}


def test_an_inflected_name_of_several_words_is_found(places: _Indexed) -> None:
    assert places.names("who pays with moroccan dirhams?") == {"moroccan dirhams": {"Moroccan Dirham"}}


async def test_a_short_name_is_found_in_the_plural(tmp_path: Path) -> None:
    kinds = tuple(Node(n, frozenset({"Species"}), {"name": name}) for n, name in enumerate(("Cat", "Ox")))
    index = await _indexed(tmp_path, PropertyGraph(kinds, ()))

    assert index.names("Which cats are heavy?") == {"cats": {"Cat"}}
    assert index.names("Which oxs are heavy?") == {}


async def test_a_text_that_is_stored_in_several_spellings_is_that_of_the_question(tmp_path: Path) -> None:
    spellings = ("ENGLISH", "English", "enGLISH")
    channels = tuple(
        Node(n, frozenset({"Channel"}), {"name": f"c{n}", "language": one}) for n, one in enumerate(spellings)
    )
    index = await _indexed(tmp_path, PropertyGraph(channels, ()))

    assert index.names("Which channels are in English?") == {"English": {"English"}}
    [loose] = [value for value in index.values("Which channels are in english?") if value.stored]
    assert [set(found) for found in loose.spellings.values()] == [set(spellings)]
    [exact] = [value for value in index.values("Which channels are in ENGLISH?") if value.stored]
    assert not exact.spellings


async def test_short_words_are_no_codes_and_no_contractions(tmp_path: Path) -> None:
    domains = tuple(Node(n, frozenset({"Domain"}), {"name": name}) for n, name in enumerate((".so", ".ve", "uk", "ll")))
    index = await _indexed(tmp_path, PropertyGraph(domains, ()))

    assert not index.names("I've seen all of them, so we'll stop")
    assert index.names("Who has uk, .so, and .ve?") == {"uk": {"uk"}, "so": {".so"}, "ve": {".ve"}}


async def test_a_word_that_one_name_has_stands_for_it(tmp_path: Path) -> None:
    names = ("Ann Lee", "Bob Lee", "Dr. Ruth Mensah", "Ann Marie Stone")
    people = tuple(Node(n, frozenset({"Person"}), {"name": name}) for n, name in enumerate(names))
    write_graph_file(PropertyGraph(people, ()), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    index = await build_value_index(await GraphView.of(store), SchemaElements.of(await store.schema()))
    await store.close()

    def meant(question: str) -> set[object]:
        return {
            text
            for one in index.by_parts(english(question), index.values(english(question)))
            for text in one.stored.values()
        }

    assert meant("When was Bob hired?") == {"Bob Lee"}
    assert meant("What does Ruth Mensah earn?") == {"Dr. Ruth Mensah"}
    assert meant("When was Ann hired?") == set()
    assert meant("When was bob hired?") == set()
    assert meant("when was bob hired") == {"Bob Lee"}
    assert meant("what does dr. mensah earn") == {"Dr. Ruth Mensah"}
    assert meant("which person has the name stone") == {"Ann Marie Stone"}
    assert meant("Bob's salary") == {"Bob Lee"}
    assert meant("Stone: day rate") == {"Ann Marie Stone"}
    assert meant("what does Professor Ruth Mensah earn") == {"Dr. Ruth Mensah"}


@pytest.mark.parametrize("question", ["Count the people", "Average age of people", "Best people by age", "count all"])
async def test_words_that_ask_stand_for_no_name(tmp_path: Path, question: str) -> None:
    names = ("Ann Count", "Bo Average", "Cy Best")
    people = tuple(Node(n, frozenset({"Person"}), {"name": name}) for n, name in enumerate(names))
    write_graph_file(PropertyGraph(people, ()), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    index = await build_value_index(await GraphView.of(store), SchemaElements.of(await store.schema()))
    await store.close()

    assert index.by_parts(english(question), []) == []
    [named] = index.by_parts(english("Who is Ann?"), [])
    assert set(named.stored.values()) == {"Ann Count"}


async def test_a_word_of_the_schema_stands_for_no_name(tmp_path: Path) -> None:
    people = tuple(Node(n, frozenset({"Person"}), {"name": name}) for n, name in enumerate(("Ann Person", "Bo Vale")))
    write_graph_file(PropertyGraph(people, ()), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    index = await build_value_index(await GraphView.of(store), SchemaElements.of(await store.schema()))
    await store.close()

    found = index.by_parts(english("which person is vale"), index.values(english("which person is vale")))

    assert [(one.text, set(one.stored.values())) for one in found if one.stored] == [("vale", {"Bo Vale"})]


async def test_a_verb_that_names_a_relationship_is_no_category(tmp_path: Path) -> None:
    jobs = ("restorer", "driver")
    people = [Node(n, frozenset({"Person"}), {"name": f"P{n}", "job": job}) for n, job in enumerate(jobs)]
    engine = Node(2, frozenset({"Engine"}), {"name": "Bracken"})
    graph = await _indexed(tmp_path, PropertyGraph((*people, engine), (Relationship(0, "restored_by", 2, 0, {}),)))

    assert graph.names("Who restored Bracken?") == {"Bracken": {"Bracken"}}
    assert graph.names("Which restorers are busy?") == {"restorers": {"restorer"}}
    assert graph.names("Who is a restorer?") == {"restorer": {"restorer"}}


@pytest.mark.parametrize(("dates", "form"), [(("28/02/2021",), ValueForm.DATE), (("03/02/2021",), ValueForm.TEXT)])
async def test_a_date_that_may_be_two_days_is_a_date_if_a_property_may_tell(
    tmp_path: Path, dates: tuple[str, ...], form: ValueForm
) -> None:
    orders = (Node(place, frozenset({"Order"}), {"name": day, "placed": day}) for place, day in enumerate(dates))
    graph = await _indexed(tmp_path, PropertyGraph(tuple(orders), ()))

    [value] = graph.values("Which orders are older than 05/04/2021?")

    assert (value.text, value.form, value.is_uncertain) == ("05/04/2021", form, form is ValueForm.DATE)
