"""The retriever chooses between relation paths and plans."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from language.question import Question
from language.values import QuestionValue, ValueForm
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.model_folder import PathEvidence
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.planner import Planner
from services.retriever.replies.asked import Asked
from services.retriever.replies.descriptions import Descriptions
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.pipeline import Retriever
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.retrieval import Retrieval
from shared.errors import DeadlineExceededError
from shared.request_context import time_limit
from tests.fakes.planning import Script, ScriptedPlans
from tests.support.property_graphs import film_graph, write_graph_file
from tests.support.reference_evaluator import Node
from tests.unit.services.retriever.models import keyword_model, keyword_paper_model

_FROM_GRAPH_ALONE = keyword_model(("ACTED_IN", "^ACTED_IN"), {"films": ("ACTED_IN", 16.0)})


def _with_questions(model: RetrieverModel, words: tuple[str, ...] = ()) -> RetrieverModel:
    """Return a model that has seen words of people's questions, and answered others better than plans."""
    words = words or (
        "which",
        "films",
        "has",
        "acted",
        "in",
        "how",
        "many",
        "what",
        "is",
        "the",
        "total",
        "of",
        "most",
        "give",
    )
    evidence = PathEvidence(questions=20, right=18, wrong=0, right_by_plans=12, wrong_by_plans=1)
    return replace(model, manifest=model.manifest.model_copy(update={"question_words": words, "evidence": evidence}))


_MODEL = _with_questions(_FROM_GRAPH_ALONE)
_WITHOUT_EVIDENCE = replace(_MODEL, manifest=_MODEL.manifest.model_copy(update={"evidence": None}))
_AFTER_PLANS = (_FROM_GRAPH_ALONE, _WITHOUT_EVIDENCE)
_HOW_MANY = "How many films has {actor} acted in?"
_COUNT = "KIND:Film IN:Person.ACTED_IN IS VALUE:0 GROUP COUNT_ROWS END"
_FILMS = "KIND:Film IN:Person.ACTED_IN IS VALUE:0 RETURN VARIABLE:0 END"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


@pytest.fixture
async def actor(store: GraphStore) -> str:
    [relationship] = [one for one in film_graph().relationships if one.type == "ACTED_IN"][:1]
    return str(film_graph().nodes[relationship.source].properties["name"])


async def ask(
    store: GraphStore,
    question: str,
    plans: Script,
    model: RetrieverModel | None = _MODEL,
    topic: str | None = None,
    min_confidence: float | None = None,
) -> RetrieveResponse:
    planner = Planner(store, lambda elements: ScriptedPlans({question: plans}, elements))
    paths = PathReplies(store, EntityLinker(store, model.word_surprisal), model) if model else None
    request = RetrieveRequest(question=question, topic_entity=topic, min_confidence=min_confidence)
    replies = PlanReplies(store, planner, 0.3)
    return await Retrieval(Retriever(paths, replies, Descriptions(store, replies))).retrieve(request)


async def test_a_path_answers_what_it_can_express(store: GraphStore, actor: str) -> None:
    response = await ask(store, f"Which films has {actor} acted in?", [(_COUNT, -0.01)])

    assert response.relation_paths[0].relations == ["ACTED_IN"]
    assert response.unread == []


async def test_a_plan_answers_what_a_path_leaves_unread(store: GraphStore, actor: str) -> None:
    response = await ask(store, _HOW_MANY.format(actor=actor), [(_COUNT, -0.01)])

    assert response.relation_paths == []
    assert isinstance(response.answers[0].value, int)


async def test_a_path_with_unread_words_is_doubted(store: GraphStore, actor: str) -> None:
    certain = await ask(store, f"Which films has {actor} acted in?", [])

    doubted = await ask(store, _HOW_MANY.format(actor=actor), [])

    assert doubted.unread == ["how many"]
    assert doubted.confidence == pytest.approx(0.1 * certain.confidence, abs=0.02)
    assert "how many" in doubted.warnings[-1].text


async def test_a_doubted_path_answers_only_if_its_confidence_suffices(store: GraphStore, actor: str) -> None:
    silent = await ask(store, _HOW_MANY.format(actor=actor), [])
    answering = await ask(store, _HOW_MANY.format(actor=actor), [], min_confidence=0.02)

    assert silent.answers == [] and silent.plan is None
    assert silent.alternatives[0].relations == ["ACTED_IN"]
    assert answering.answers and answering.confidence == silent.confidence
    assert answering.plan is not None and silent.alternatives[0].steps == answering.plan.steps


async def test_a_path_to_several_answers_leaves_a_question_for_one_number_unread(store: GraphStore) -> None:
    manifest = _MODEL.manifest.model_copy(update={"operator_words": {"total": ("ACTED_IN",)}})
    model = RetrieverModel(**{
        **{name: getattr(_MODEL, name) for name in _MODEL.__dataclass_fields__}, "manifest": manifest
    })  # fmt: skip
    busiest, films = Counter(
        one.source for one in film_graph().relationships if one.type == "ACTED_IN"
    ).most_common(1)[0]  # fmt: skip
    assert films > 1
    actor = film_graph().nodes[busiest].properties["name"]

    response = await ask(store, f"What is the total of films {actor} acted in?", [], model)

    assert response.unread == ["total"]


async def test_a_path_leaves_a_number_unread(store: GraphStore, actor: str) -> None:
    response = await ask(store, f"Which films has {actor} acted in, 1987?", [])

    assert response.unread == ["1987"]


async def test_words_that_questions_of_a_path_use_are_read(store: GraphStore, actor: str) -> None:
    manifest = _MODEL.manifest.model_copy(update={"operator_words": {"most": ("ACTED_IN",)}})

    response = await ask(store, f"Which films has {actor} acted in most?", [], RetrieverModel(**{
        **{name: getattr(_MODEL, name) for name in _MODEL.__dataclass_fields__}, "manifest": manifest
    }))  # fmt: skip

    assert response.unread == []


async def test_a_given_topic_entity_is_answered_by_a_path(store: GraphStore, actor: str) -> None:
    response = await ask(store, _HOW_MANY.format(actor=actor), [(_COUNT, -0.01)], topic=actor)

    assert response.relation_paths[0].relations == ["ACTED_IN"]


@pytest.mark.parametrize(
    "model, answers_by_path", [(_MODEL, True), (_FROM_GRAPH_ALONE, False), (_WITHOUT_EVIDENCE, False)]
)
async def test_a_plan_answers_before_a_path_that_was_not_shown_to_be_better(
    store: GraphStore, actor: str, model: RetrieverModel, answers_by_path: bool
) -> None:
    response = await ask(store, f"Which films has {actor} acted in?", [(_FILMS, -0.01)], model)

    assert response.answers
    assert bool(response.relation_paths) is answers_by_path


@pytest.mark.parametrize("model", _AFTER_PLANS)
async def test_a_path_that_was_not_shown_to_be_better_answers_if_no_plan_does(
    store: GraphStore, actor: str, model: RetrieverModel
) -> None:
    response = await ask(store, f"Which films has {actor} acted in?", [], model)

    assert response.relation_paths[0].relations == ["ACTED_IN"]


@pytest.mark.parametrize("model, is_silent", [(_MODEL, True), (_FROM_GRAPH_ALONE, False), (_WITHOUT_EVIDENCE, False)])
async def test_only_the_silence_of_a_path_that_is_better_than_plans_outweighs_a_plan(
    store: GraphStore, actor: str, model: RetrieverModel, is_silent: bool
) -> None:
    response = await ask(store, f"Which roles was {actor} cast for?", [(_FILMS, -0.01)], model)

    assert (response.answers == []) is is_silent


async def test_without_a_trained_model_plans_answer_everything(store: GraphStore, actor: str) -> None:
    response = await ask(store, _HOW_MANY.format(actor=actor), [(_COUNT, -0.01)], model=None)

    assert isinstance(response.answers[0].value, int)


async def test_a_path_answers_if_the_plan_takes_too_long(
    store: GraphStore, actor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def too_late(_self: Planner, _question: str) -> list[PlanReading]:
        raise DeadlineExceededError

    monkeypatch.setattr(Planner, "read", too_late)

    response = await ask(store, _HOW_MANY.format(actor=actor), [], min_confidence=0.02)
    without_paths = await ask(store, _HOW_MANY.format(actor=actor), [], model=None)

    assert response.relation_paths[0].relations == ["ACTED_IN"]
    assert [one.kind for one in response.warnings] == ["late", "unread"]
    assert without_paths.answers == []
    assert [one.kind for one in without_paths.warnings] == ["late"]


async def test_a_less_likely_plan_does_not_answer_for_one_that_took_too_long(
    store: GraphStore, actor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Planner.read

    async def overtaken(self: Planner, question: Question) -> list[PlanReading]:
        return [replace(one, is_overtaken=True) for one in await read(self, question)]

    monkeypatch.setattr(Planner, "read", overtaken)

    by_path = await ask(store, _HOW_MANY.format(actor=actor), [(_COUNT, -0.01)])
    without_paths = await ask(store, _HOW_MANY.format(actor=actor), [(_COUNT, -0.01)], model=None)

    assert by_path.answers == without_paths.answers == []
    assert [one.kind for one in by_path.warnings] == ["late", "unread"]
    assert [one.kind for one in without_paths.warnings] == ["late"]
    assert without_paths.alternatives


async def test_the_deadline_of_a_request_is_not_taken_for_a_slow_plan(
    store: GraphStore, actor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def too_late(_self: Planner, _question: str) -> list[PlanReading]:
        await asyncio.sleep(0.6)
        raise DeadlineExceededError

    monkeypatch.setattr(Planner, "read", too_late)

    with time_limit(0.5), pytest.raises(DeadlineExceededError):
        await ask(store, _HOW_MANY.format(actor=actor), [])


async def test_a_capitalised_word_beside_the_topic_makes_another_name_of_it(store: GraphStore, actor: str) -> None:
    other = await ask(store, f"Which films has Old {actor} acted in?", [])
    same = await ask(store, f"Which films has {actor} acted in?", [])

    assert other.unread == ["Old"]
    assert other.confidence < 0.5 < same.confidence
    assert same.unread == []


async def test_a_path_to_nodes_of_another_kind_than_asked_for_is_doubted(store: GraphStore) -> None:
    film = next(str(node.properties["title"]) for node in film_graph().nodes if "Film" in node.kinds)
    people = keyword_model(("ACTED_IN", "^ACTED_IN"), {"films": ("^ACTED_IN", 16.0)})

    response = await ask(store, f"Which films are most like {film}?", [], people, min_confidence=0.0)

    assert response.answers[0].kind == "Person"
    assert "Film" in response.unread


async def test_a_plan_answers_if_the_path_found_only_an_entity_that_is_hardly_named(tmp_path: Path) -> None:
    films = film_graph()
    odd = Node(len(films.nodes), frozenset({"Film"}), {"title": "Workz"})
    write_graph_file(replace(films, nodes=(*films.nodes, odd)), tmp_path / "films.sqlite")
    store = SqliteGraphStore(tmp_path / "films.sqlite", 5.0)

    plan = "KIND:Film RETURN VARIABLE:0 END"
    response = await ask(store, "Give me works that anyone filmed", [(plan, -0.1)])

    assert len(response.answers) == 21
    await store.close()


async def test_paths_that_learnt_from_people_know_what_describing_means(store: GraphStore, actor: str) -> None:
    model = keyword_model(("ACTED_IN", "^ACTED_IN"), {"describe": ("ACTED_IN", 16.0)})
    learnt = _with_questions(model, ("describe", "which", "films"))

    by_path = await ask(store, f"describe {actor}", [(_COUNT, -0.01)], learnt)
    by_name = await ask(store, actor, [(_COUNT, -0.01)], learnt)
    assert by_path.relation_paths[0].relations == ["ACTED_IN"]
    assert [one.value for one in by_name.answers] == [actor]


@pytest.mark.parametrize(
    ("tag", "is_unread"),
    [("script", False), ("Script", True), ("a script", False), ("7", True), ("five", True), ("'script'", True)],
)
async def test_an_ordinary_word_is_no_name_where_names_have_capitals(
    actor: str, tag: str, is_unread: bool, tmp_path: Path
) -> None:
    graph = film_graph()
    tagged = replace(graph, nodes=(*graph.nodes, Node(9_999, frozenset({"Tag"}), {"name": "script"})))
    write_graph_file(tagged, tmp_path / "tagged.sqlite")
    store = SqliteGraphStore(tmp_path / "tagged.sqlite", 60.0)
    question = f"Which films in {tag} has {actor} acted in?"

    response = await ask(store, question, [(_FILMS, -0.01)])
    assert bool(response.unread) == is_unread


@pytest.mark.parametrize(("word", "is_unread"), [("moves", True), ("moveis", False)])
async def test_a_misspelt_word_in_a_question_without_capitals_is_no_name(
    store: GraphStore, actor: str, word: str, is_unread: bool
) -> None:
    question = f"which films has {actor} acted in, {word}".lower()
    start = question.index(word)
    similar = QuestionValue(start, len(question), ValueForm.TEXT, word, word, {0: "Moves"})
    paths = PathReplies(store, EntityLinker(store, _MODEL.word_surprisal), _MODEL)

    reply = await paths.reply(Asked(question=english(question)))
    assert (word in paths.words.unread_values(english(question), reply, [similar])) == is_unread


async def test_a_name_whose_words_are_those_of_the_path_is_read(actor: str, tmp_path: Path) -> None:
    graph = film_graph()
    tagged = replace(graph, nodes=(*graph.nodes, Node(9_999, frozenset({"Tag"}), {"name": "Acted In"})))
    write_graph_file(tagged, tmp_path / "tagged.sqlite")
    store = SqliteGraphStore(tmp_path / "tagged.sqlite", 60.0)

    few_words = _MODEL.manifest.model_copy(update={"question_words": ("which", "films", "has")})
    response = await ask(
        store, f"Which films has {actor} Acted In?", [(_FILMS, -0.01)], replace(_MODEL, manifest=few_words)
    )
    assert response.unread == []


async def test_an_entity_is_described_before_any_path_is_tried(store: GraphStore, actor: str) -> None:
    response = await ask(store, f"Tell me about {actor}.", [(_COUNT, -0.01)])

    assert [one.value for one in response.answers] == [actor]
    assert response.relation_paths == []
    assert actor in response.plan_evidence[0].text


@pytest.mark.parametrize("topic", [None, "Ann"])
@pytest.mark.parametrize(("is_default", "is_answered"), [(True, True), (False, False)])
async def test_paper_mode_keeps_its_own_threshold_unless_the_caller_asks_for_more(
    store: GraphStore, actor: str, topic: str | None, is_default: bool, is_answered: bool
) -> None:
    model = keyword_paper_model(("ACTED_IN", "^ACTED_IN"), {"films": (1, 16.0)}, {"films": ("ACTED_IN", 16.0)})
    paths = PathReplies(store, EntityLinker(store, _MODEL.word_surprisal), model)
    replies = PlanReplies(store, Planner(store, lambda elements: ScriptedPlans({}, elements)), 0.3)
    request = RetrieveRequest(
        question=f"Which films has {actor} acted in?",
        topic_entity=topic and actor,
        min_confidence=0.9999,
        is_default_confidence=is_default,
    )

    response = await Retrieval(Retriever(paths, replies, Descriptions(store, replies))).retrieve(request)

    assert bool(response.answers) is is_answered
    assert is_answered is (response.warnings == [])
