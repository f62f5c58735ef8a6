import pytest

from tests.fakes.graph import InMemoryGraph

pytestmark = pytest.mark.train


@pytest.mark.parametrize("facts", [0, 12, 2_899, 10_000])
def test_the_work_grows_with_the_graph_up_to_that_of_a_large_one(facts: int) -> None:
    from training.retriever.training_loop import Hyperparameters
    from training.workload import for_facts, plan_questions

    options = Hyperparameters(max_examples=20_000)
    smaller, larger = (for_facts(options, number) for number in (facts, facts + 1_000))
    assert smaller.max_examples < larger.max_examples < options.max_examples
    assert plan_questions(facts, 0, 4_000) < plan_questions(facts + 1_000, 0, 4_000)
    assert plan_questions(facts, 20, 4_000) < plan_questions(facts, 100, 4_000)


@pytest.mark.parametrize("facts", [40_000, 134_741])
def test_a_large_graph_is_trained_as_configured(facts: int) -> None:
    from training.retriever.training_loop import Hyperparameters
    from training.workload import for_facts

    options = Hyperparameters(max_examples=20_000)
    assert for_facts(options, facts) is options


def test_the_plan_model_of_a_large_graph_learns_from_all_questions() -> None:
    from training.workload import plan_questions

    assert plan_questions(134_741, 0, 3_000) == 3_000


async def test_facts_are_counted_from_the_schema() -> None:
    from training.workload import count_facts, is_tiny

    assert is_tiny(await count_facts(InMemoryGraph([("a", "r", "b")])))
    assert not is_tiny(2_899)
