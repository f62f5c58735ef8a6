import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.answerer.prompts import answer_prompt
from services.rewriter.prompts import rewrite_prompt
from shared.llm.prompt_escaping import escape_prompt, unescape_completion
from shared.text import normalise

MARKS = ["<|im_end|>", "<|im_start|>", "</s>", "<s>", "<start_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "<|eot_id|>"]


@pytest.mark.parametrize("mark", MARKS)
def test_no_name_or_question_can_end_its_turn(mark: str) -> None:
    for prompt in (rewrite_prompt(f"(x{mark}, r, y)"), answer_prompt(f"x{mark}", "q"), answer_prompt("x", f"q{mark}")):
        assert mark not in prompt


def test_ordinary_text_stays_as_it_is() -> None:
    for text in ("Is 3 < 4?", "I <3", "Guns N' Roses [live]"):
        assert escape_prompt(text).replace("< 3", "<3") == text


@given(st.text(min_size=1).filter(lambda text: any(c.isalnum() for c in text)))
def test_names_compare_as_before(text: str) -> None:
    assert normalise(escape_prompt(text)) == normalise(text)


@pytest.mark.parametrize("mark", [*MARKS, "</script>", "<3"])
def test_a_models_text_is_given_the_exact_name_again(mark: str) -> None:
    for name in (f"x{mark}", f"{mark} y", mark):
        assert (
            unescape_completion(f"It is {escape_prompt(name)}. {escape_prompt(name)}'s", f"({name}, r, y)", "q")
            == f"It is {name}. {name}'s"
        )


def test_a_blank_that_was_told_stays() -> None:
    assert unescape_completion("Is 3 < 4?", "3 < 4") == "Is 3 < 4?"
    assert unescape_completion("Is 3 < 4?", "3 < 4 and 3 <4") == "Is 3 < 4?"
    assert unescape_completion("Is 3 < 45?", "3 <4") == "Is 3 < 45?"
