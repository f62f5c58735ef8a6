from dataclasses import dataclass

from evaluation.knowledge_outcomes import KnowledgeOutcome, KnowledgeReader, answered_names, knowledge_columns
from evaluation.knowledge_sources import Knowledge
from evaluation.metrics import substring_hit
from question_sets.records import QuestionRecord
from shared.triple import Triple
from tests.fakes.llm import ScriptedModel

FILMS = Knowledge(
    "(Heat, starred_actors, Al Pacino) (Heat, directed_by, Michael Mann)",
    (Triple("Heat", "starred_actors", "Al Pacino"), Triple("Heat", "directed_by", "Michael Mann")),
)
ASKED = QuestionRecord(question="Who starred in Heat?", topic="Heat", answers=("Al Pacino", "Robert De Niro"))


@dataclass(frozen=True)
class FixedKnowledge:
    knowledge: Knowledge

    async def find(self, record: QuestionRecord) -> Knowledge:
        return self.knowledge


def outcome(number: int, source: str, hit: bool) -> KnowledgeOutcome:
    return KnowledgeOutcome(
        number=number,
        source=source,
        question="?",
        said="",
        hit=hit,
        named=hit,
        f1=float(hit),
        has_answer=True,
        prompt_tokens=10 + number,
    )


async def test_a_reply_is_scored_against_the_gold_answers_and_the_knowledge() -> None:
    reader = KnowledgeReader(ScriptedModel(["Al Pacino starred in Heat, by Michael Mann."]))
    scored = await reader.ask("KAPING", FixedKnowledge(FILMS), 7, ASKED)
    assert (scored.number, scored.source, scored.said) == (7, "KAPING", "Al Pacino starred in Heat, by Michael Mann.")
    assert (scored.hit, scored.named, scored.has_answer) == (True, True, True)
    assert scored.f1 == 0.5  # Michael Mann is wrong, and Robert De Niro is missing
    assert scored.prompt_tokens > 0


async def test_the_same_prompt_is_sent_once() -> None:
    model = ScriptedModel(["Al Pacino."])
    reader = KnowledgeReader(model)
    first, second = [await reader.ask(name, FixedKnowledge(FILMS), 0, ASKED) for name in ("a", "b")]
    assert len(model.prompts) == 1
    assert (second.said, second.prompt_tokens) == (first.said, first.prompt_tokens)


async def test_the_hit_of_the_paper_accepts_any_substring() -> None:
    asked = QuestionRecord(question="Which grade?", answers=("A",))
    scored = await KnowledgeReader(ScriptedModel(["No idea."])).ask("none", FixedKnowledge(Knowledge()), 0, asked)
    assert (scored.hit, scored.named) == (True, False)
    assert not substring_hit("Heat", ())


def test_names_of_the_question_are_no_answers_unless_they_are_gold() -> None:
    said = "Heat starred Al Pacino."
    assert answered_names(said, ASKED, FILMS) == ["Al Pacino"]
    about_heat = ASKED.model_copy(update={"answers": ("Heat",)})
    assert answered_names(said, about_heat, FILMS) == ["Heat", "Al Pacino"]


def test_sources_are_compared_with_baselines() -> None:
    hits = {"none": (False, True, False), "RRA": (True, False, True)}
    outcomes = {
        name: [outcome(number, name, hit) for number, hit in enumerate(of_one)] for name, of_one in hits.items()
    }
    columns = knowledge_columns(outcomes, ["none"])
    assert columns["RRA"]["vs none"] == "+2 -1"
    assert columns["none"]["vs none"] == "–"
    assert columns["RRA"]["hit@1"] == "66.7 (20.8 to 93.9)"
    assert (columns["RRA"]["questions"], columns["RRA"]["prompt tokens"]) == ("3", "11")
