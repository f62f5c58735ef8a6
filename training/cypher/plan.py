"""Plan how to train the adapter that writes Cypher, without importing torch."""

import asyncio
from dataclasses import replace
from pathlib import Path

from graph.opening import open_graph
from question_sets.records import QuestionRecord, read_questions
from services.retriever.encoder.encoder import OnnxEncoder
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from services.retriever.plans.schema.graph_view import GraphView
from shared.errors import InvalidInputError
from shared.paths import CYPHER_ADAPTER
from training.cypher.pairs import CypherQuestion, brought, made_up, query_pairs
from training.lora.plan import HELD_OUT, QUERY_TIMEOUT_S, AdapterOptions, AdapterTraining, require_train_extra
from training.lora.task import CYPHER_PRESETS, Pair
from training.planning.own_questions import OwnQuestions
from training.synthetic.plans.wordings import Split


def plan_cypher(options: AdapterOptions, questions: Path | None) -> AdapterTraining:
    """Plan to train the adapter on questions made up about the graph, and on the user's questions with Cypher or plans.

    Questions of the user are added to `options.count` made-up ones. The held-out pairs have other wordings.

    Args:
        options: What to train, and where to write it.
        questions: A question file; questions without Cypher or a plan are ignored.

    Raises:
        NotFoundError: The file or the graph does not exist.
        InvalidInputError: The file is invalid or has no question with Cypher, or the graph has too little to ask about.
        DependencyError: The train extra is not installed, or the graph store does not respond.
    """
    require_train_extra()
    records = list(read_questions(questions)) if questions else []
    pairs, held_out, version = asyncio.run(_pairs(options, records))
    if not pairs:
        raise InvalidInputError("the graph has too little to ask about; pass questions with Cypher by --questions")
    data = {"graph": options.graph, "version": version, "questions": questions.name if questions else "made up"}
    settings = replace(CYPHER_PRESETS[options.preset], seed=options.seed)
    return AdapterTraining(CYPHER_ADAPTER, options, pairs, held_out, data, settings, None)


async def _pairs(options: AdapterOptions, records: list[QuestionRecord]) -> tuple[list[Pair], list[Pair], str]:
    """Return pairs to learn, pairs to hold out, and the version of the graph."""
    store = open_graph(options.graph, QUERY_TIMEOUT_S)
    try:
        await store.check()
        view = await GraphView.of(store)
        linker = EntityLinker(store, WordSurprisal(vocabulary=OnnxEncoder(BASE_MODEL).vocabulary))
        own = await OwnQuestions.of(view, {}, options.seed)
        users = brought(records, view)
        if records and not users:
            raise InvalidInputError("no question in the file has Cypher or a plan; kgqa train retriever needs neither")
        learnt = made_up(own, view, options.count, options.seed) + users
        known = {one.question for one in learnt}
        other = made_up(own, view, HELD_OUT, options.seed, Split.HELD_OUT)
        held_out: list[CypherQuestion] = [one for one in other if one.question not in known]
        return (
            await query_pairs(learnt, view, linker, options.seed),
            await query_pairs(held_out, view, linker, options.seed),
            await store.version(),
        )
    finally:
        await store.close()
