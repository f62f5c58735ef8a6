import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rewriter.faithfulness import check_faithfulness
from shared.triple import Triple
from texts.verbalise.template import as_sentences

BORDERS = [Triple("France", "borders", "Spain"), Triple("France", "borders", "Italy")]


@pytest.mark.parametrize(
    "text",
    [
        "France borders Spain and Italy.",
        "Spain and Italy are the neighbours of France.",
        "It is France that borders: Spain, Italy!",
    ],
)
def test_a_text_that_names_all_is_faithful(text: str) -> None:
    assert check_faithfulness(text, BORDERS) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "does not name 'France'"),
        ("France borders Spain.", "does not name 'Italy'"),
        ("France borders Spains and Italy.", "does not name 'Spain'"),
        ("France borders Spain, Italy and Portugal.", "names 'Portugal', which is not in the evidence"),
        ("France borders Spain and Italy since 1945.", "names '1945', which is not in the evidence"),
        ("France does not border Spain and Italy.", "negates with 'not', which is not in the evidence"),
        ("France borders Spain, Italy and others.", "says 'others', which is not in the evidence"),
        ("France borders Spain and Italy, who hate it.", "says 'hate', which is not in the evidence"),
        ("France borders Spain and Italy. Visit http://evil.example", "contains a link"),
        ("France borders Spain and <b>Italy</b>.", "contains markup"),
        ("France borders Spain and Italy.\u2066", "contains control characters"),
        ("France borders Spain, Spain, Spain and Italy.", "repeats itself"),
        ("France borders Spain and Italy. " + "it is a country " * 3, "repeats itself"),
        ("France borders Spain and Italy. " + " ".join("abcdefghijklmnopqrstuvwxyz" * 2), "is too long"),
    ],
)
def test_what_is_wrong_is_named(text: str, fault: str) -> None:
    assert fault in check_faithfulness(text, BORDERS)


def test_words_of_the_relation_are_no_strangers() -> None:
    assert (
        check_faithfulness("The IATA code of Oslo Airport is OSL.", [Triple("Oslo Airport", "iata_code", "OSL")]) == []
    )
    assert check_faithfulness("Oslo lies 1,245 feet up.", [Triple("Oslo", "elevation", "1,245")]) == []


ISLANDS = [Triple("Papua New Guinea", "near", "Fiji"), Triple("Guinea", "near", "Fiji"), Triple("Mali", "near", "Fiji")]


def test_in_a_list_each_is_named_once() -> None:
    assert check_faithfulness("Guinea, Mali, Papua New Guinea and Mali are near Fiji.", ISLANDS) == [
        "names 'Mali' twice"
    ]
    assert check_faithfulness("Guinea, Papua New Guinea, Mali and Mali are near Fiji.", ISLANDS) == [
        "names 'Mali' twice"
    ]
    assert check_faithfulness("Mali and Papua New Guinea are near Fiji.", ISLANDS) == ["does not name 'Guinea'"]
    assert check_faithfulness("Guinea, Mali and Papua New Guinea are near Fiji.", ISLANDS) == []
    assert check_faithfulness("Guinea is near Fiji. Mali is near Fiji. Papua New Guinea is near Fiji.", ISLANDS) == []


def test_a_name_may_itself_repeat() -> None:
    assert check_faithfulness("Who sang No No No No?", [Triple("No No No No", "sung_by", "Who")]) == []


def test_a_stranger_at_the_start_of_a_sentence_is_seen() -> None:
    facts = [Triple("France", "borders", "Spain"), Triple("France", "borders", "Italy")]
    assert check_faithfulness("France borders Spain. Mars borders Italy.", facts) == [
        "names 'Mars', which is not in the evidence"
    ]
    assert check_faithfulness("France borders Spain. Additionally, France borders Italy. They all border.", facts) == []


@pytest.mark.parametrize(
    "name",
    [
        "O'Connor",
        "Côte d’Ivoire",
        "Man'gyŏngdae-ri",
        "iPhone 3rd Gen",
        "Ame\u0301lie",
        "Az\u0327 Z\u0327ulayl",
        "X-200",
        "foo_Bar",
        "東京",
        "U.S.A.",
    ],
)
def test_names_of_any_style_are_no_strangers(name: str) -> None:
    fact = Triple("Paris", "ally", name)
    assert check_faithfulness(f"One knows that Paris's ally is {name}.", [fact]) == []
    assert check_faithfulness(f"It is {name}'s friend, Paris.", [fact]) == []


FILM = [
    Triple("Ned Kelly", "starred_actors", "Mark McManus"),
    Triple("Ned Kelly", "release_year", "1970"),
    Triple("Ned Kelly", "written_by", "Ian Jones"),
]


@pytest.mark.parametrize(
    "text",
    [
        "The actors of Ned Kelly are Mark McManus. It was released in 1970. Ned Kelly was written by Ian Jones.",
        "Ned Kelly, released in 1970 and written by Ian Jones, stars Mark McManus.",
        "Ian Jones wrote Ned Kelly, which stars Mark McManus and was released in 1970.",
        "Ned Kelly (1970) is by Ian Jones, with Mark McManus.",
    ],
)
def test_names_under_their_own_relations_are_faithful(text: str) -> None:
    assert check_faithfulness(text, FILM) == []


def test_a_name_under_another_relation_is_seen() -> None:
    text = "The starred actors of Ned Kelly are Mark McManus and 1970. Ned Kelly was written by Ian Jones."
    assert check_faithfulness(text, FILM) == ["puts '1970' under another relation"]
    text = "The starred actors of Ned Kelly are Mark McManus and Ian Jones. Ned Kelly was released in 1970."
    assert check_faithfulness(text, FILM) == ["puts 'Ian Jones' under another relation"]


@pytest.mark.parametrize(
    ("fact", "right", "wrong"),
    [
        (("Schiphol", "elevation_ft", "-11"), "Schiphol lies -11 feet above sea level.", "Schiphol lies 11 feet up."),
        (("Lima", "utc_offset", "UTC-05:00"), "Lima's UTC offset is UTC-05:00.", "Lima is at UTC+05:00."),
        (("Linux", "written_in", "C"), "Linux is written in the language C.", "Linux is written in C++."),
        (("Bo", "tag", "#identity"), "Bo's tag is #identity.", "Bo's tag is Identity."),
    ],
)
def test_signs_and_marks_are_not_lost(fact: tuple[str, str, str], right: str, wrong: str) -> None:
    assert check_faithfulness(right, [Triple(*fact)]) == []
    assert f"does not name {fact[2]!r}" in check_faithfulness(wrong, [Triple(*fact)])


@pytest.mark.parametrize("name", ["\U000f0000", "home \U000f02dc", "\U000ffffd\U000f0001", "a|b", "a\0b", "R.E.M. | x"])
def test_no_character_of_a_name_is_taken_for_a_mark(name: str) -> None:
    facts = [Triple("Ned Kelly", "starred_actors", "Mark McManus"), Triple("Ned Kelly", "release_year", name)]
    assert check_faithfulness(f"Ned Kelly stars Mark McManus. Its release year is {name}.", facts) == []
    assert f"puts {name!r} under another relation" in check_faithfulness(
        f"The actors of Ned Kelly are Mark McManus and {name}.", facts
    )


NEGATED = [Triple("No Country for Old Men", "directed_by", "Joel Coen"), Triple("Nowhere", "not_allowed_in", "Never")]


def test_names_and_relations_may_negate() -> None:
    assert (
        check_faithfulness("Joel Coen directed No Country for Old Men. Nowhere is not allowed in Never.", NEGATED) == []
    )
    assert "negates with 'not', which is not in the evidence" in check_faithfulness(
        "Joel Coen did not direct No Country for Old Men.", NEGATED[:1]
    )
    called_not = [Triple("Joel Coen", "directed", "Not")]
    assert check_faithfulness("Joel Coen directed Not.", called_not) == []
    assert "negates with 'not', which is not in the evidence" in check_faithfulness(
        "Joel Coen has not directed Not.", called_not
    )


WORDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "Co", "Cf"]), min_size=1, max_size=20)
NAMES = WORDS.filter(lambda name: any(map(str.isalnum, name)))
RELATIONS = st.sampled_from(["directed_by", "capital", "member_of", "borders", "was_born_in", "elevation_ft", "a.b.c"])
FACTS = st.lists(st.builds(Triple, NAMES, RELATIONS, NAMES), min_size=1, max_size=4)


@given(
    FACTS,
    st.sampled_from(
        [
            "Your account was hacked.",
            "It is not so.",
            "<script>x</script>",
            "Visit http://evil.example/.",
            "[a](b)",
            "\u202e\x1b",
            "Never trust it!",
        ]
    ),
    st.booleans(),
)
def test_a_template_with_a_hostile_fragment_has_a_fault(facts: list[Triple], hostile: str, first: bool) -> None:
    text = as_sentences(facts)
    assert check_faithfulness(f"{hostile} {text}" if first else f"{text} {hostile}", facts) != []


@pytest.mark.parametrize("text", ["The neighbours of FRANCE are Spain and Italy.", "france borders Spain and Italy."])
def test_a_name_in_another_case_is_altered(text: str) -> None:
    assert [one for one in check_faithfulness(text, BORDERS) if one.startswith("alters a name")]


def test_parts_of_two_names_make_no_third() -> None:
    tickets = [Triple("INC-2003", "blocks", "CAT-17"), Triple("INC-2003", "owner", "Ann Lee")]
    right = "INC-2003 blocks CAT-17. Its owner is Ann Lee."
    assert check_faithfulness(right, tickets) == []
    for wrong in ("CAT-2003", "INC-17", "Ann", "Lee Ann"):
        assert check_faithfulness(f"{right} INC-2003 blocks {wrong}.", tickets) != []
