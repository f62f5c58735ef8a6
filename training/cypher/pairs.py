"""Provide pairs for a language model that writes Cypher: the prompt of `strategy: cypher`, and the query.

UniOQA learns from questions with Cypher that people wrote. Here, questions are made up about the graph, so that a small
model learns its schema, and questions that the user brings count as well.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph.cypher.unsupported import UnsupportedCypherError
from language.english.english import english
from question_sets.records import QuestionRecord
from services.retriever.linking.linker import EntityLinker
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.graph_prompt import graph_prompt
from training.cypher.writer import write_cypher
from training.lora.task import Pair
from training.planning.own_questions import OwnQuestions
from training.synthetic.plans.wordings import Split


@dataclass(frozen=True, slots=True)
class CypherQuestion:
    """Pair a question with the Cypher query that answers it."""

    question: str
    query: str


def made_up(
    own: OwnQuestions, view: GraphView, count: int, seed: int, split: Split = Split.TRAIN
) -> list[CypherQuestion]:
    """Make up distinct questions about a graph, with their queries; fewer if there is too little to ask about."""
    found: dict[str, str] = {}
    for one in own.questions(2 * count, seed, split):
        try:
            found.setdefault(one.question, write_cypher(one.plan, view.schema))
        except UnsupportedCypherError:
            continue
        if len(found) == count:
            break
    return [CypherQuestion(question, query) for question, query in found.items()]


def brought(records: Sequence[QuestionRecord], view: GraphView) -> list[CypherQuestion]:
    """Return the user's questions that have Cypher, or a plan that can be written as Cypher."""
    found = []
    for record in records:
        if record.cypher is not None:
            found.append(CypherQuestion(record.question, " ".join(record.cypher.split())))
        elif record.plan is not None:
            try:
                found.append(CypherQuestion(record.question, write_cypher(record.plan, view.schema)))
            except UnsupportedCypherError:
                continue
    return found


async def query_pairs(
    questions: Iterable[CypherQuestion], view: GraphView, linker: EntityLinker, seed: int
) -> list[Pair]:
    """Turn questions with queries into training pairs, in random order.

    The prompt names the entities that the linker finds, as in serving.

    Raises:
        DependencyError: The graph store does not respond.
    """
    pairs = []
    for one in questions:
        question = english(one.question)
        prompt = await graph_prompt(question, await linker.link(question), view)
        pairs.append(Pair(prompt.text, one.query))
    random.Random(seed).shuffle(pairs)
    return pairs
