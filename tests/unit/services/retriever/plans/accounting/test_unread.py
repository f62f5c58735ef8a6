import pytest

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from language.english.english import english
from language.english.question_values import literal_values
from language.values import QuestionValue, ValueForm
from services.retriever.plans.accounting.unread import Part, Unread, unread_share, unread_words
from services.retriever.plans.assembly.plan_structure import Structure
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop


def _property(type_: ValueType) -> PropertySchema:
    return PropertySchema(frozenset({type_}), type_)


_SCHEMA = GraphSchema(
    {
        "Film": KindSchema(
            9,
            {
                "title": _property(ValueType.STRING),
                "budget": _property(ValueType.INTEGER),
                "released": _property(ValueType.DATE),
            },
            "title",
        ),
        "Person": KindSchema(9, {"name": _property(ValueType.STRING)}, "name"),
    },
    {"DIRECTED": RelationshipSchema(9, frozenset({("Person", "Film")}))},
)
_ELEMENTS = SchemaElements.of(_SCHEMA)
_NAMES = {
    "Film": Action(Op.KIND, 0),
    "Person": Action(Op.KIND, 1),
    "directed_by": Action(Op.IN, 0),
    "directed": Action(Op.OUT, 0),
    **{one.key: Action(Op.PROPERTY, number) for number, one in enumerate(_ELEMENTS.properties)},
}


def _actions(text: str) -> list[Action]:
    """Read actions: names of elements, operators, and numbers of values."""
    return [
        _NAMES[word] if word in _NAMES else Action(Op.VALUE, int(word)) if word.isdigit() else Action(Op[word])
        for word in text.split()
    ]


@pytest.mark.parametrize(
    ("question", "plan", "unread"),
    [
        ("Which films are there?", "Film RETURN END", []),
        ("List all films.", "Film RETURN END", []),
        ("List all people.", "Film RETURN END", ["people"]),
        ("How many films are there?", "Film GROUP COUNT_ROWS END", []),
        ("How many films are there?", "Film RETURN END", ["How many"]),
        ("What is the average budget of films?", "Film GROUP AVERAGE budget END", []),
        ("What is the average budget of films?", "Film RETURN budget END", ["average"]),
        ("Which films cost more than 1,000?", "Film budget GREATER 0 RETURN END", ["cost"]),
        ("Which film has a budget over 1,000?", "Film budget GREATER 0 RETURN END", []),
        ("Which film has a budget over 1,000?", "Film budget LESS 0 RETURN END", ["over"]),
        ("Which film has a budget over 1,000?", "Film RETURN budget END", ["over", "1,000"]),
        ("Which film has a budget below 1,000?", "Film budget LESS 0 RETURN END", []),
        ("Which film has a budget below 1,000?", "Film budget GREATER 0 RETURN END", ["below"]),
        ("Which film has the highest budget?", "Film SORT budget DESCENDING LIMIT ONE RETURN END", []),
        ("Which film has the highest budget?", "Film RETURN budget END", ["highest"]),
        ("Who directed 'Heat'?", "Person directed IS 0 RETURN END", []),
        ("Who directed 'Heat'?", "Person directed RETURN END", ["'Heat'"]),
        ("Who directed 'Heat'?", "Film IS 0 directed_by RETURN END", []),
        ("Who filmed 'Heat'?", "Film IS 0 directed_by RETURN END", []),
        ("Who wrote 'Heat'?", "Film IS 0 directed_by RETURN END", ["wrote"]),
        ("Which films were not released?", "Film released MISSING RETURN END", []),
        ("Which films were not released?", "Film released PRESENT RETURN END", ["not"]),
        ("Which films were released after 1999?", "Film released GREATER 0 RETURN END", []),
        ("Which films were released before 1999?", "Film released GREATER 0 RETURN END", ["before"]),
        ("Which films were released in the 1990s?", "Film released WITHIN 0 RETURN END", []),
        ("Which films were released in the 1990s?", "Film RETURN released END", ["1990s"]),
        ("How many films per person?", "Person directed GROUP COUNT_ROWS END", []),
        ("How many films per person?", "Person directed RETURN END", ["How many", "per"]),
        ("Which titles start with 'A'?", "Film title STARTS_WITH 0 RETURN END", []),
        ("no. of films", "Film GROUP COUNT_ROWS END", []),
        ("Which films have a budget of 0?", "Film budget EQUAL ZERO RETURN END", []),
        ("Which films have no budget?", "Film budget EQUAL ZERO RETURN END", []),
        ("Which films have a budget of 0?", "Film RETURN budget END", ["0"]),
        ("Who directed at least one film?", "Person directed RETURN END", []),
        ("Who directed at least two films?", "Person directed RETURN END", ["at least", "two"]),
        ("Name films. Limit them to the top 3.", "Film LIMIT 0 RETURN END", []),
        ("Show only the first 3 films.", "Film LIMIT 0 RETURN END", []),
        ("Show only films.", "Film RETURN END", ["only"]),
        ("What is the number of budget units?", "Film RETURN budget END", ["units"]),
        ("What is the number of units?", "Film RETURN budget END", ["number of", "units"]),
        ("Which titles start with 'A'?", "Film title CONTAINS 0 RETURN END", ["start with"]),
        ("Which films has nobody directed?", "Film NOT_EXISTS directed_by CLOSE RETURN END", []),
        ("Which films don't have a budget?", "Film RETURN budget END", ["don't"]),
        ("Which films are funny?", "Film RETURN END", ["funny"]),
    ],
)
def test_unread_words_of_a_plan(question: str, plan: str, unread: list[str]) -> None:
    found = unread_words(english(question), _actions(plan), literal_values(question), _ELEMENTS)
    assert [one.text for one in found] == unread


def test_units_stand_for_the_properties_that_they_measure() -> None:
    elements = SchemaElements.of(
        GraphSchema({"Peak": KindSchema(3, {"elevation_ft": PropertySchema(frozenset(), ValueType.INTEGER)})}, {})
    )
    actions = read_actions("KIND:Peak PROPERTY:Peak.elevation_ft GREATER VALUE:0 RETURN VARIABLE:0 END", elements)
    question = "Which peaks are over 900 feet high?"
    assert unread_words(english(question), actions, literal_values(question), elements) == []


@pytest.mark.parametrize(("key", "part"), [("budget", Part.NAME), ("title", Part.CONSTRAINT)])
def test_a_stored_value_that_a_plan_leaves_out_is_unread(key: str, part: Part) -> None:
    question = "Which films of 'Ann' are dark comedies?"
    start, number = question.index("dark"), _ELEMENTS.property_numbers[False, "Film", key]
    [ann] = literal_values("                'Ann'")
    dark = QuestionValue(start, start + 4, ann.form, "dark", "dark", {number: "Dark"})
    found = unread_words(english(question), _actions("Person IS 0 directed RETURN END"), [ann, dark], _ELEMENTS)
    assert Unread("dark", part) in found


def test_a_stored_word_before_a_name_describes_it() -> None:
    question, number = "Who directed the movie 'Heat'?", _ELEMENTS.property_numbers[False, "Person", "name"]
    [heat] = literal_values(question)
    movie = QuestionValue(17, 22, ValueForm.TEXT, "movie", "movie", {number: "movie"})
    found = unread_words(english(question), _actions("Film IS 0 directed_by RETURN END"), [heat, movie], _ELEMENTS)
    assert found == [Unread("movie", Part.NAME)]


def test_the_share_of_unread_words_counts_those_that_say_something() -> None:
    assert unread_share(english("Which films won prizes?"), []) == 0.0
    assert unread_share(english("Which films won prizes?"), ["won", "prizes"]) == pytest.approx(2 / 3)
    assert unread_share(english("What is it?"), []) == 0.0


@pytest.mark.parametrize(
    ("question", "word", "part"),
    [
        ("How many films are there?", "How many", Part.OPERATOR),
        ("Which films are from Spain?", "Spain", Part.CONSTRAINT),
        ("Which films are made in copper?", "copper", Part.CONSTRAINT),
        ("US films?", "US", Part.CONSTRAINT),
        ("Which films are there? Sing them.", "Sing", Part.WORD),
        ("Which films are there? Go slowly.", "slowly", Part.WORD),
    ],
)
def test_unread_operators_and_names_are_told_from_other_words(question: str, word: str, part: Part) -> None:
    assert Unread(word, part) in unread_words(english(question), _actions("Film RETURN END"), [], _ELEMENTS)


def test_a_name_beside_a_value_that_a_plan_uses_may_be_part_of_what_it_asks() -> None:
    question = "Which films after 1999 are from Spain?"
    found = unread_words(
        english(question), _actions("Film released GREATER 0 RETURN END"), literal_values(question), _ELEMENTS
    )
    assert found == [Unread("Spain", Part.NAME)]


def test_words_after_a_short_form_belong_to_the_name_that_the_graph_stores() -> None:
    question = "Who directed Lake Hotel?"
    short = QuestionValue(13, 17, ValueForm.TEXT, "Lake", "Lake", {0: "The Lake Grand Hotel"})
    assert unread_words(english(question), _actions("Person directed IS 0 RETURN END"), [short], _ELEMENTS) == []


def test_the_name_of_a_schema_element_that_a_plan_does_not_use_is_unread() -> None:
    question = "Which films of the 90s have people directed?"

    assert unread_words(english(question), _actions("Film RETURN END"), [], _ELEMENTS)[-2:] == [
        Unread("people", Part.ELEMENT),
        Unread("directed", Part.ELEMENT),
    ]


def test_the_name_of_a_node_is_read_with_its_kind() -> None:
    assert unread_words(english("Which films are titled so?"), _actions("Film RETURN END"), [], _ELEMENTS) == []


_WORKSHOP = SchemaElements.of(StoredGraph(workshop()).schema)


@pytest.mark.parametrize(
    ("question", "actions", "unread"),
    [
        (
            "Which jobs weigh over 2 tonnes?",
            "KIND:Job PROPERTY:Job.weight_kg GREATER VALUE:0 RETURN VARIABLE:0 END",
            [],
        ),
        (
            "Which jobs cost over 2 tonnes?",
            "KIND:Job PROPERTY:Job.cost GREATER VALUE:0 RETURN VARIABLE:0 END",
            ["tonnes"],
        ),
        ("How many hours did the job take?", "KIND:Job RETURN PROPERTY:Job.duration END", []),
        ("How many hours did the job take?", "KIND:Job RETURN PROPERTY:Job.cost END", ["How many hours", "take"]),
        ("Why did the job cost so much?", "KIND:Job RETURN PROPERTY:Job.cost END", ["Why"]),
    ],
)
def test_units_are_read_by_what_measures_the_same(question: str, actions: str, unread: list[str]) -> None:
    values = [value for value in literal_values(question) if value.form is ValueForm.NUMBER]

    assert [
        one.text for one in unread_words(english(question), read_actions(actions, _WORKSHOP), values, _WORKSHOP)
    ] == unread


def test_a_plan_that_groups_by_dates_reads_per_month() -> None:
    actions = read_actions("KIND:Job GROUP MONTH PROPERTY:Job.billed_on COUNT_ROWS END", _WORKSHOP)

    for structure, unread in (({Structure.CALENDAR_GROUP}, []), (set(), ["per", "month"])):
        found = unread_words(english("the number of jobs per month"), actions, [], _WORKSHOP, frozenset(structure))
        assert [one.text for one in found] == unread
