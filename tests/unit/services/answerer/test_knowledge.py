from contracts.rewrite import KnowledgeFormat
from services.answerer.knowledge import MAX_KNOWLEDGE, as_knowledge


def test_of_other_scripts_fewer_letters_fit() -> None:
    assert len(as_knowledge(["東京 " * MAX_KNOWLEDGE], KnowledgeFormat.TEXT)) < MAX_KNOWLEDGE / 6
