from services.rewriter.prompts import rewrite_prompt


def test_prompt_t1_is_the_papers() -> None:
    assert rewrite_prompt("(a {x}, r, b)") == (
        "Your task is to transform a knowledge graph to a sentence or multiple sentences. "
        "The knowledge graph is: (a {x}, r, b). The sentence is:"
    )
