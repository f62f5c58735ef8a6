from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.answers import AnswerType, ReplyWarning, answer_names
from contracts.retrieve import Choice, Clarification
from services.answerer.chat.follow_ups import MAX_QUESTIONS, Reading, read_message
from services.answerer.chat.restriction import AskedAbout
from services.answerer.pipeline import Found
from tests.fakes.graph_answers import Known, ListedAnswers
from tests.fakes.services import nothing_found

FILMS: Known = {
    "Which films did Ann Lee direct?": ("Ann Lee", ["Dusk", "Harbour"]),
    "who wrote Dusk?": ("Dusk", ["Bo Marsh"]),
    "who wrote Harbour?": ("Harbour", ["Ann Lee"]),
    "Which films did Bo Marsh direct?": ("Bo Marsh", ["Tide"]),
    "When was Ann Lee born?": ("Ann Lee", ["1956"]),
    "What is the capital of Norway?": ("Norway", ["Oslo"]),
    "What is the population of Oslo?": ("Oslo", ["709000"]),
    "Which countries border Norway?": ("Norway", ["Sweden", "Finland"]),
    "What is the currency of Norway?": ("Norway", ["Krone"]),
    "What is Oslo's area?": ("Oslo", ["480"]),
    "Who lives in Oslo?": ("Oslo", ["Kari"]),
    "Does Norway share its currency?": ("Norway", ["yes"]),
}


async def read(*questions: str) -> Reading:
    return await read_message(questions, ListedAnswers(FILMS).find)


def asked(reading: Reading) -> list[str]:
    return [one.request.question for one in reading.found]


@pytest.mark.parametrize(
    ("before", "question", "read_as", "said"),
    [
        (
            "Which films did Ann Lee direct?",
            "and who wrote them?",
            ["who wrote Dusk?", "who wrote Harbour?"],
            "Dusk, Ha",
        ),
        (
            "Which films did Ann Lee direct?",
            "who wrote those films?",
            ["who wrote Dusk?", "who wrote Harbour?"],
            "Dusk",
        ),
        ("Which films did Ann Lee direct?", "When was she born?", ["When was Ann Lee born?"], "the previous question"),
        (
            "Which films did Ann Lee direct?",
            "What about Bo Marsh?",
            ["Which films did Bo Marsh direct?"],
            "like the prev",
        ),
        ("Which films did Ann Lee direct?", "And Bo Marsh?", ["Which films did Bo Marsh direct?"], "Read as"),
        (
            "What is the capital of Norway?",
            "And its population?",
            ["What is the population of Oslo?"],
            "previous answer",
        ),
        ("What is the capital of Norway?", "What is its area?", ["What is Oslo's area?"], "“its” was taken"),
        ("What is the capital of Norway?", "Which countries border it?", ["Which countries border Norway?"], "Norway"),
        ("What is the capital of Norway?", "what about the currency?", ["What is the currency of Norway?"], "Norway"),
        ("What is the capital of Norway?", "Who lives there?", ["Who lives in Oslo?"], "“there” was"),
        ("What is the capital of Norway?", "Who lives in that?", ["Who lives in Oslo?"], "“that” was"),
        ("What is the capital of Norway?", "Who lives in that capital?", ["Who lives in Oslo?"], "“that capital” was"),
    ],
)
async def test_what_a_follow_up_question_takes_over(before: str, question: str, read_as: list[str], said: str) -> None:
    reading = await read(before, question)
    assert asked(reading) == read_as
    assert said in reading.note


@pytest.mark.parametrize("question", ["Does Norway share its currency?", "Which films did Bo Marsh direct?"])
async def test_a_question_that_stands_alone_takes_nothing_over(question: str) -> None:
    reading = await read("Which films did Ann Lee direct?", question)
    assert (asked(reading), reading.note) == ([question], "")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["And its population?"], "I don't know what “its” refers to."),
        (["Who lives in Atlantis?", "where does she work?"], "I don't know to whom “she” refers."),
        (["Who lives in Atlantis?", "who owns those films?"], "I don't know what “those films” refers to."),
        (["Who lives in Atlantis?", "who wrote that?"], "I don't know what “that” refers to."),
    ],
)
async def test_a_pronoun_that_refers_to_nothing_is_asked_back(questions: list[str], said: str) -> None:
    known: Known = {**FILMS, **{question: (None, ["Kari", "Bo Marsh"]) for question in questions[1:]}}
    reading = await read_message(questions, ListedAnswers(known).find)
    assert (reading.found, reading.is_answered) == ((), False)
    assert reading.note.startswith(said)


@pytest.mark.parametrize(
    "question",
    [
        "List all owners and their pets",
        "Which companies lost their director?",
        "Who lives in the city where they were born?",
        "Which films are there?",
        "How long does it take?",
        "Which films were shown this year?",
        "Which films have their own website?",
        "Which films that Ann Lee directed won?",
    ],
)
async def test_words_that_refer_to_their_own_question_are_not_asked_back(question: str) -> None:
    known: Known = {**FILMS, question: (None, ["Dusk"])}
    reading = await read_message(["Who lives in Atlantis?", question], ListedAnswers(known).find)
    assert (asked(reading), reading.note) == ([question], "")


@pytest.mark.parametrize(
    ("films", "number", "answers", "said"),
    [
        (["Dusk", "Tide"], AnswerType.ENTITIES, ["Tide"], "“other” leaves out Dusk."),
        (["Dusk"], AnswerType.ENTITIES, [], "There is no more in the graph."),
        (["2"], AnswerType.NUMBER, [], "I can only leave out Dusk from a list"),
    ],
)
async def test_other_leaves_out_what_the_previous_question_named(
    films: list[str], number: AnswerType, answers: list[str], said: str
) -> None:
    known: Known = {"Who wrote Dusk?": ("Dusk", ["Bo Marsh"]), "what films did Bo Marsh write?": ("Bo Marsh", films)}
    listed = ListedAnswers(known)

    async def find(asked: AskedAbout) -> Found:
        found = await listed.find(asked)
        is_list = asked.text.startswith("what")
        changed = {"answer_type": number} if is_list else {}
        return replace(found, retrieved=found.retrieved.model_copy(update=changed))

    reading = await read_message(["Who wrote Dusk?", "what other films did he write?"], find)
    assert [name for one in reading.found for name in answer_names(one.retrieved.answers)] == answers
    assert said in reading.note


@pytest.mark.parametrize(
    ("confidence", "question"), [(0.85, "What is the population of Oslo?"), (0.3, "What is the population of Norway?")]
)
async def test_a_likely_reading_that_is_withheld_does_not_give_way_to_another_one(
    confidence: float, question: str
) -> None:
    answers = ListedAnswers({**FILMS, "What is the population of Norway?": ("Norway", ["5500000"])})

    async def find(about: AskedAbout) -> Found:
        found = await answers.find(about)
        if about.text != "What is the population of Oslo?":
            return found
        warnings = [ReplyWarning(kind="withheld", text="It is not certain enough.")]
        withheld = nothing_found().model_copy(update={"confidence": confidence, "warnings": warnings})
        return replace(found, retrieved=withheld)

    reading = await read_message(["What is the capital of Norway?", "And its population?"], find)
    assert asked(reading) == [question]
    assert reading.is_answered is (confidence < 0.5)


async def test_a_name_that_is_a_pronoun_refers_to_nothing() -> None:
    known: Known = {**FILMS, "Who wrote It?": ("It", ["Stephen King"])}
    reading = await read_message(["What is the capital of Norway?", "Who wrote It?"], ListedAnswers(known).find)
    assert (asked(reading), reading.note) == (["Who wrote It?"], "")


async def test_a_pronoun_refers_to_the_entities_in_rows() -> None:
    known: Known = {
        **FILMS,
        "Who directed the most films?": (None, ["Ann Lee"]),
        "when was she born?": (None, ["1956", "1970"]),
        "when was Ann Lee born?": ("Ann Lee", ["1956"]),
    }
    answers = ListedAnswers(known)

    async def find(asked: AskedAbout) -> Found:
        found = await answers.find(asked)
        rows = {"answer_type": AnswerType.ROWS} if "most" in asked.text else {}
        return replace(found, retrieved=found.retrieved.model_copy(update=rows))

    reading = await read_message(["Who directed the most films?", "when was she born?"], find)
    assert asked(reading) == ["when was Ann Lee born?"]


async def test_follow_ups_of_follow_ups() -> None:
    reading = await read("Which films did Ann Lee direct?", "What about Bo Marsh?", "And Ann Lee?")
    assert asked(reading) == ["Which films did Ann Lee direct?"]


async def test_a_number_is_nothing_that_a_pronoun_refers_to() -> None:
    reading = await read("What is the capital of Norway?", "And its population?", "What is its area?")
    assert asked(reading) == ["What is Oslo's area?"]


async def test_only_some_of_many_answers_are_asked_about_and_the_reader_is_told() -> None:
    films = [f"Film {letter}" for letter in "ABCDEFGH"]
    known: Known = {"Which films?": (None, films)} | {f"who wrote {film}?": (film, ["Bo"]) for film in films}
    reading = await read_message(["Which films?", "who wrote them?"], ListedAnswers(known).find)
    assert len(reading.found) == MAX_QUESTIONS
    assert "the other 3 are left out" in reading.note


async def test_a_follow_up_without_an_answer_says_what_the_pronoun_was_taken_for() -> None:
    known: Known = {**FILMS, "who painted it?": (None, ["Bo Marsh"])}
    reading = await read_message(["What is the capital of Norway?", "who painted it?"], ListedAnswers(known).find)
    assert (asked(reading), reading.is_answered) == (["who painted Oslo?"], False)
    assert reading.note == "“it” was taken to refer to Oslo, from the previous answer."


@given(st.lists(st.text(min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=9))
async def test_any_conversation_is_read_with_a_bounded_number_of_questions(questions: list[str]) -> None:
    async def find(asked: AskedAbout) -> object:
        answers.asked.append(asked.text)
        return await answers.find(AskedAbout("What is the capital of Norway?"))

    answers = ListedAnswers(FILMS)
    reading = await read_message(questions, find)  # type: ignore[arg-type]
    assert len(reading.found) <= MAX_QUESTIONS
    assert len(answers.asked) < 100


_TWO = Clarification(
    question="Which Ann Lee do you mean?",
    choices=[
        Choice(text="Ann Lee (born 1956)", means={"Ann Lee": "p1"}),
        Choice(text="Ann Lee (born 1980)", means={"Ann Lee": "p2"}),
    ],
)


class _Namesakes:
    """Know two people with one name: their bosses, and the shops where they work; `asked` records the questions."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []

    async def find(self, asked: AskedAbout) -> Found:
        question, means, _ = asked
        self.asked.append((question, dict(means)))
        listed = ListedAnswers(
            {
                "Who manages Ann Lee?": ("Ann Lee", ["Bo Chen"]),
                "Where does Ann Lee work?": ("Ann Lee", ["North Shop"]),
                "Who works at North Shop?": ("North Shop", ["Cy Diaz", "Di Evans", "Eva Ford"]),
                "Who manages Di Evans?": ("Di Evans", ["Ann Lee"]),
                "Where does Di Evans work?": ("Di Evans", ["South Shop"]),
                "Where does Eva Ford work?": ("Eva Ford", ["South Shop"]),
                "born 1980": (None, ["Ann Lee"]),
            }
        )
        found = await listed.find(asked)
        answers = [
            one.model_copy(update={"id": "p2"}) if one.value == "Ann Lee" else one for one in found.retrieved.answers
        ]
        is_open = "Ann Lee" in question and not means
        changes = {"answers": answers, "clarification": _TWO if is_open else None}
        return replace(found, retrieved=found.retrieved.model_copy(update=changes))


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("2", "p2"),
        ("1.", "p1"),
        ("The second one", "p2"),
        ("the last one, please", "p2"),
        ("the first", "p1"),
        ("born 1980", "p2"),
        ("I mean the Ann Lee who was born in 1956", None),
        ("the one from 1956", "p1"),
        ("3", None),
        ("Ann Lee", None),
    ],
)
async def test_a_message_chooses_one_of_several_namesakes(message: str, meant: str | None) -> None:
    known = _Namesakes()

    reading = await read_message(["Who manages Ann Lee?", message], known.find)

    assert (("Who manages Ann Lee?", {"Ann Lee": meant}) in known.asked) == (meant is not None)
    if meant is not None:
        assert reading.note.startswith("Read as “Who manages Ann Lee?”, about Ann Lee (born 19")


async def test_a_choice_is_kept_for_the_rest_of_the_conversation() -> None:
    known = _Namesakes()

    await read_message(["Who manages Ann Lee?", "2", "Where does Ann Lee work?"], known.find)

    assert known.asked[-1] == ("Where does Ann Lee work?", {"Ann Lee": "p2"})


async def test_a_name_means_what_was_the_answer_before() -> None:
    known = _Namesakes()

    reading = await read_message(["Who manages Di Evans?", "Where does Ann Lee work?"], known.find)

    assert known.asked[-1] == ("Where does Ann Lee work?", {"Ann Lee": "p2"})
    assert reading.note == "“Ann Lee” was taken to be Ann Lee (born 1980), as before."


async def test_a_pronoun_means_the_node_and_not_its_name() -> None:
    known = _Namesakes()

    await read_message(["Who manages Di Evans?", "Where does she work?"], known.find)

    assert known.asked[-1] == ("Where does Ann Lee work?", {"Ann Lee": "p2"})


@pytest.mark.parametrize(
    ("question", "name"),
    [("Where does the second one work?", "Di Evans"), ("Where does the last of them work?", "Eva Ford")],
)
async def test_an_ordinal_means_an_answer_of_the_last_list(question: str, name: str) -> None:
    reading = await read_message(["Who works at North Shop?", question], _Namesakes().find)

    assert asked(reading) == [f"Where does {name} work?"]


async def test_an_ordinal_means_an_answer_of_the_last_list_although_one_was_asked_about() -> None:
    questions = ["Who works at North Shop?", "Where does the second one work?", "Where does the last one work?"]

    assert asked(await read_message(questions, _Namesakes().find)) == ["Where does Eva Ford work?"]


async def test_an_ordinal_beyond_the_list_is_asked_back() -> None:
    reading = await read_message(["Who works at North Shop?", "Where does the ninth one work?"], _Namesakes().find)

    assert reading.note == "I don't know what “the ninth one” refers to. Please ask again with the name."


@given(st.text(max_size=30))
async def test_no_message_breaks_a_choice(message: str) -> None:
    reading = await read_message(["Who manages Ann Lee?", f"no, {message}"], _Namesakes().find)

    assert reading.found or reading.note
