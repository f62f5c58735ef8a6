"""Build the paper-mode data set: unmasked questions with gold paths, converted to examples for two classifiers."""

from collections.abc import Sequence

from question_sets.records import QuestionRecord
from services.retriever.prediction.paper.hop_and_path_prediction import step_input
from shared.errors import InvalidInputError
from shared.graph.store import GraphStore
from training.retriever.dataset import Dataset, describe_problems, split
from training.retriever.examples import UNKNOWN, ClassifierExample, GoldQuestion, check_relations, mask_topics
from training.retriever.walk_rule import fit_walk_rule


async def build_paper_dataset(
    store: GraphStore, train: Sequence[QuestionRecord], valid: Sequence[QuestionRecord] | None, seed: int
) -> Dataset[GoldQuestion]:
    """Build the data set from the questions that have a path; raise InvalidInputError if they are unusable.

    Without `valid`, a tenth of the masked questions is held out, each with all its topics. As in served mode,
    validation therefore measures new wordings.
    """
    for records in (train, valid):
        if records is not None and not _with_path(records):
            raise InvalidInputError(
                f"none of the questions ({len(records)} in all) has a relation path (`path`), but paper mode requires "
                "one; add the paths, or train without --mode paper to learn from answers too"
            )
    check_relations([*train, *(valid or ())], await store.relations())
    texts, question_words, _ = await mask_topics(store, train)
    pairs = list(zip(texts, train, strict=True))
    wordings = list(dict.fromkeys(text for text, record in pairs if record.path))
    if valid is None:
        to_train, to_hold_out = map(set, split(wordings, seed))
        training = [record for text, record in pairs if text in to_train]
        validation = [record for text, record in pairs if text in to_hold_out]
        # Training questions do not show how reliable the model is.
        held_out = [] if to_train == to_hold_out else validation
    else:
        training, validation, held_out = list(train), list(valid), list(valid)
    rule, rules = await fit_walk_rule(store, train, seed)
    counts = {
        "questions with an empty path were left out, since paper mode cannot learn from them": sum(
            record.path == () for record in train
        ),
        "questions without a path were left out": sum(record.path is None for record in train),
    }
    return Dataset(
        training=_with_path(training),
        validation=_with_path(validation),
        held_out=held_out,
        learnt_from=f"{len(_with_path(train)):,} questions with relation paths",
        distinct_questions=len(wordings),
        walk_rule=rule,
        walk_rules=rules,
        question_words=question_words,
        warnings=describe_problems(rules, len(wordings), valid is None, len(train), counts),
    )


def hop_examples(questions: Sequence[GoldQuestion], max_hops: int) -> list[ClassifierExample]:
    """Return one example per question; a path of h hops has the class h - 1 (RRA eq. 5 and 6)."""
    return [
        ClassifierExample(question.text, len(question.path) - 1 if len(question.path) <= max_hops else UNKNOWN)
        for question in questions
    ]


def step_examples(questions: Sequence[GoldQuestion], steps: Sequence[str]) -> list[ClassifierExample]:
    """Return one example per relation of each gold path; its text includes the gold path so far (teacher forcing)."""
    columns = {step: column for column, step in enumerate(steps)}
    return [
        ClassifierExample(step_input(question.text, question.path[:place]), columns.get(step, UNKNOWN))
        for question in questions
        for place, step in enumerate(question.path)
    ]


def _with_path(records: Sequence[QuestionRecord]) -> list[GoldQuestion]:
    return [GoldQuestion(record.question, record.path) for record in records if record.path]
