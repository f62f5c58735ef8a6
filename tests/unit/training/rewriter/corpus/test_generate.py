import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.errors import DependencyError, InvalidInputError, RefusedError
from shared.llm.client import LanguageModel
from shared.llm.usage import Usage
from shared.triple import Triple
from tests.fakes.llm import FailingModel, ScriptedModel
from training.rewriter.corpus import generate
from training.rewriter.corpus.extract import Subgraph
from training.rewriter.corpus.generate import NO_TEXT, NOT_ANSWERED, UNFAITHFUL, Models, generate_texts
from training.rewriter.corpus.journal import KEPT, CorpusJournal, write_pairs

CORPUS = {"graph": "1", "llm": "scripted"}
NAMES = [f"Film {n}" for n in range(12)]
SUBGRAPHS = [
    Subgraph(f"who directed {name}", (Triple(name, "directed_by", f"Person \u2028{n}"),), (f"Person \u2028{n}",))
    for n, name in enumerate(NAMES)
]


def words(prompt: str) -> str:
    """State the prompt's fact, but say nothing about one film, and state the wrong fact about another."""
    name, _, person = prompt.partition("is: (")[2].partition("). ")[0].split(", ")
    return "" if name == "Film 3" else f"{'Film 1' if name == 'Film 7' else name} was directed by {person}."


def models(writer: LanguageModel, calls: list[str] | None = None) -> Models:
    async def answer(knowledge: str, question: str) -> str:
        (calls if calls is not None else []).append(question)
        return "nobody" if question.endswith("Film 5") else knowledge

    return Models(writer, answer, lambda: Usage(len(calls or ()), 10 * len(calls or ()), len(calls or ())))


def built(file: Path, at_once: int = 3, made: Models | None = None) -> dict[str, int]:
    with CorpusJournal(file, CORPUS) as journal:
        asyncio.run(generate_texts(SUBGRAPHS, made or models(ScriptedModel(words)), journal, at_once))
        return dict(Counter(outcome.verdict for outcome in journal.of(SUBGRAPHS)))


def pairs(file: Path) -> list[dict[str, object]]:
    out = file.with_suffix(".pairs")
    with CorpusJournal(file, CORPUS) as journal:
        assert write_pairs(journal, out) == len(out.read_text(encoding="utf-8").split("\n")) - 1
    return [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]


def test_texts_that_answer_their_question_are_kept(tmp_path: Path) -> None:
    assert built(tmp_path / "journal") == {KEPT: 9, NO_TEXT: 1, UNFAITHFUL: 1, NOT_ANSWERED: 1}

    kept = pairs(tmp_path / "journal")
    assert {line["question"] for line in kept} == {s.question for n, s in enumerate(SUBGRAPHS) if n not in (3, 5, 7)}
    assert kept[0].keys() == {"question", "facts", "text"}


def test_what_is_settled_is_not_made_again(tmp_path: Path) -> None:
    built(tmp_path / "journal")

    assert built(tmp_path / "journal", made=models(FailingModel())) == {
        KEPT: 9,
        NO_TEXT: 1,
        UNFAITHFUL: 1,
        NOT_ANSWERED: 1,
    }


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_kill_at_any_point_loses_and_doubles_nothing(tmp_path: Path, data: st.DataObject) -> None:
    file = tmp_path / "journal"
    built(tmp_path / "whole")
    whole = pairs(tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    settled = max(0, file.read_bytes().count(b"\n") - 1)
    calls: list[str] = []

    built(file, data.draw(st.integers(1, 5)), models(ScriptedModel(words), calls))

    assert pairs(file) == whole
    # Those that are given no text, or another one's, are not put to the QA model.
    assert len(SUBGRAPHS) - settled - 2 <= len(calls) <= len(SUBGRAPHS) - settled


def test_a_model_that_stays_away_ends_the_building_and_what_was_settled_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "_FIRST_WAIT_S", 0.0)
    refused: list[str] = []

    def gone_after_four(prompt: str) -> str:
        if len(writer.prompts) > 4:
            refused.append(prompt)
            raise DependencyError("the language model server is gone: start it again")
        return words(prompt)

    writer = ScriptedModel(gone_after_four)
    with pytest.raises(DependencyError, match="gone"):
        built(tmp_path / "journal", at_once=1, made=models(writer))

    assert len(refused) > 2
    with CorpusJournal(tmp_path / "journal", CORPUS) as journal:
        assert len(list(journal)) == 4


def test_a_model_that_refuses_once_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "_FIRST_WAIT_S", 0.0)

    def moody(prompt: str) -> str:
        if writer.prompts.count(prompt) == 1:
            raise DependencyError("the language model server is busy: ask less")
        return words(prompt)

    writer = ScriptedModel(moody)

    assert built(tmp_path / "journal", made=models(writer))[KEPT] == 9


def test_a_model_that_wants_another_key_is_asked_once(tmp_path: Path) -> None:
    def wants_a_key(prompt: str) -> str:
        raise RefusedError("the language model server answered 401: set the API key that this server wants")

    writer = ScriptedModel(wants_a_key)
    with pytest.raises(RefusedError, match="set the API key"):
        built(tmp_path / "journal", at_once=1, made=models(writer))

    assert len(writer.prompts) == 1


def test_the_account_adds_up_over_runs(tmp_path: Path) -> None:
    for part in (SUBGRAPHS[:2], SUBGRAPHS[:2], SUBGRAPHS[:3]):
        with CorpusJournal(tmp_path / "journal", CORPUS) as journal:
            asyncio.run(generate_texts(part, models(ScriptedModel(words), []), journal, 1))

    with CorpusJournal(tmp_path / "journal", CORPUS) as journal:
        assert (journal.cost().usage, journal.cost().runs) == (Usage(3, 30, 3), 2)


def test_the_journal_of_another_corpus_is_refused(tmp_path: Path) -> None:
    built(tmp_path / "journal")

    with pytest.raises(InvalidInputError, match="started with graph '1', not '2'"):
        CorpusJournal(tmp_path / "journal", {**CORPUS, "graph": "2"})
