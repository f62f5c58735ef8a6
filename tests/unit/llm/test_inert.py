import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.answerer.prompts import answer_prompt
from services.rewriter.prompts import rewrite_prompt
from shared.llm.inert import inert
from shared.text import normalise

MARKS = ["<|im_end|>", "<|im_start|>", "</s>", "<s>", "<start_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "<|eot_id|>"]


@pytest.mark.parametrize("mark", MARKS)
def test_no_name_or_question_can_end_its_turn(mark: str) -> None:
    for prompt in (rewrite_prompt(f"(x{mark}, r, y)"), answer_prompt(f"x{mark}", "q"), answer_prompt("x", f"q{mark}")):
        assert mark not in prompt


def test_ordinary_text_stays_as_it_is() -> None:
    for text in ("Is 3 < 4?", "I <3", "Guns N' Roses [live]"):
        assert inert(text).replace("< 3", "<3") == text


@given(st.text(min_size=1).filter(lambda text: any(c.isalnum() for c in text)))
def test_names_compare_as_before(text: str) -> None:
    assert normalise(inert(text)) == normalise(text)
