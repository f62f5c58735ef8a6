"""What a paper-mode training learns from: questions as they were asked, with gold relation paths."""

from collections.abc import Sequence
from dataclasses import dataclass

from question_sets.records import QuestionRecord
from shared.errors import InvalidInputError
from shared.graph.store import GraphStore, RelationPath, WalkRule
from training.retriever.dataset import split, warnings_of
from training.retriever.examples import check_relations, mask_topics
from training.retriever.walk_rule import fit_walk_rule


@dataclass(frozen=True, slots=True)
class ToldQuestion:
    """A question as it was asked, and its gold relation path, which is not empty."""

    text: str
    path: RelationPath


@dataclass(frozen=True, slots=True)
class PaperMaterial:
    """Questions to train and to validate with, the graph's walk rule, and what there is to say about them.

    `distinct`: how many training questions differ beside their topic; `held_out`: what the confidence is fitted to;
    `walk_rules`: mean F1 of each rule's answers; `warnings`: sentences for people.
    """

    training: Sequence[ToldQuestion]
    validation: Sequence[ToldQuestion]
    distinct: int
    held_out: Sequence[QuestionRecord]
    walk_rule: WalkRule
    walk_rules: dict[str, float]
    question_words: tuple[str, ...]
    warnings: tuple[str, ...]


async def gather_told(
    store: GraphStore, train: Sequence[QuestionRecord], valid: Sequence[QuestionRecord] | None, seed: int
) -> PaperMaterial:
    """All that a paper-mode training needs of the graph and of its questions.

    Without `valid` a tenth of the wordings is held out, whatever topics they are asked about: as in served mode, they
    measure new wordings. Raises InvalidInputError for questions that cannot be trained on.
    """
    for records in (train, valid):
        if records is not None:
            _check(records)
    check_relations([*train, *(valid or ())], await store.relations())
    masked = await mask_topics(store, train)
    wordings = dict.fromkeys(text for text, record in zip(masked.texts, train, strict=True) if record.path)
    if valid is None:
        to_learn, to_hold_out = map(set, split(list(wordings), seed))
        training = [record for text, record in zip(masked.texts, train, strict=True) if text in to_learn]
        held_out = [record for text, record in zip(masked.texts, train, strict=True) if text in to_hold_out]
        # Questions to learn from do not tell how sure to be.
        asked = [] if to_learn == to_hold_out else held_out
    else:
        training, held_out = list(train), list(valid)
        asked = held_out
    rule, rules = await fit_walk_rule(store, train, seed)
    return PaperMaterial(
        training=_told(training),
        validation=_told(held_out),
        distinct=len(wordings),
        held_out=asked,
        walk_rule=rule,
        walk_rules=rules,
        question_words=masked.question_words,
        warnings=warnings_of(
            rules,
            len(wordings),
            valid is None,
            len(train),
            (
                (sum(record.path == () for record in train), "have an empty path, which this mode cannot learn"),
                (sum(record.path is None for record in train), "do not tell their path and were left out"),
            ),
        ),
    )


def _told(records: Sequence[QuestionRecord]) -> list[ToldQuestion]:
    return [ToldQuestion(record.question, record.path) for record in records if record.path]


def _check(records: Sequence[QuestionRecord]) -> None:
    if not _told(records):
        raise InvalidInputError(
            f"none of the {len(records)} questions tells a relation path (`path`), which paper mode learns from; "
            "add the paths, or train without --mode paper, which learns from answers, too"
        )
