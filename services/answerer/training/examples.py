"""Examples to train the QA model on: facts in template T2 with a question, and the answer that the facts hold.

Facts come in every form in which the rewriter may put them (sentences, template, triples, YAML), relevant ones mixed
with others about the same topic; where they do not hold the answer, the answer is that it is not known.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from services.answerer.training.questions import ask
from shared.contracts import KnowledgeFormat
from shared.graph.store import Triple, step_relation
from shared.llm.formats import as_triples, as_yaml, join_names
from shared.llm.template import as_sentences
from shared.llm.training.evidence import MAX_LIST, InventedGraph, Item, RealGraph, Step, sentences, shortened
from shared.llm.training.task import Pair
from shared.llm.training.world import WORLD
from shared.questions import QuestionRecord

_FORMATS = [KnowledgeFormat.TEXT] * 9 + [KnowledgeFormat.TEMPLATE] * 4 + [KnowledgeFormat.TRIPLES] * 5 + [
    KnowledgeFormat.YAML] * 2  # fmt: skip
_HOPS = [1] * 9 + [2] * 8 + [3] * 2
_OTHERS = [0, 0, 0, 1, 1, 2, 2, 3, 4]
_BRANCHES = [1, 1, 1, 2, 2, 3, 4]
_REAL_SHARE = 0.45
_UNKNOWN_SHARE = 0.07
_MAX_ITEMS = 5
_MORE_QUESTIONS = 2
_LONG_LIST = 24
_LONGEST_CHARACTERS = 1500


@dataclass(frozen=True, slots=True)
class Case:
    """A question on a topic entity, the items of evidence that answer it, and others about the same topic."""

    topic: str
    question: str
    relevant: tuple[Item, ...]
    others: tuple[Item, ...]


def training_examples(
    count: int, facts: Sequence[Triple], questions: Sequence[QuestionRecord], seed: int = 13
) -> list[Pair]:
    """`count` examples, the same for the same seed; `facts` and `questions` are those of the demonstration graph."""
    random_ = random.Random(seed)
    graph = RealGraph(facts, WORLD, random_)
    pairs: list[Pair] = []
    for case in _cases(graph, questions, random_):
        pairs += [p for p in _pairs(case, random_) if len(p.prompt) + len(p.completion) <= _LONGEST_CHARACTERS]
        if len(pairs) >= count:
            break
    return pairs[:count]


def _cases(graph: RealGraph, questions: Sequence[QuestionRecord], random_: random.Random) -> Iterator[Case]:
    answerable = [q for q in questions if q.topic and q.path and q.answers]
    while True:
        case = None
        if random_.random() >= _REAL_SHARE:
            case = _invented(random_)
        elif answerable and random_.random() < 0.8:
            case = _asked(graph, random_.choice(answerable), random_)
        else:
            case = _walked(graph, random_)
        if case:
            yield case


def _invented(random_: random.Random) -> Case:
    graph = InventedGraph(random_)
    steps = graph.path(random_.choice(_HOPS))
    topic = graph.name(steps[0], topic=True)
    branches = 1 if len(steps) == 1 else random_.choice(_BRANCHES)
    relevant = [graph.item(steps, topic, size=None if branches == 1 else random_.choice([1, 1, 2, 3, 5]))
                for _ in range(branches)]  # fmt: skip
    if len(steps) == 3:
        # All chains share their first fact; only a two-step chain branches right at the topic.
        relevant = [Item(i.steps, (topic, relevant[0].chain[1], *i.chain[2:]), i.ends) for i in relevant]
    others = [graph.item(path, topic) for path in _other_paths(graph, steps, random_)]
    return Case(topic, ask(steps, topic, random_), tuple(relevant), tuple(others))


def _other_paths(graph: InventedGraph, steps: tuple[Step, ...], random_: random.Random) -> list[tuple[Step, ...]]:
    asked = [step.spelling for step in steps]
    paths = [graph.path(random_.choice([1, 1, 2]), like=steps) for _ in range(random_.choice(_OTHERS))]
    distinct = {tuple(step.spelling for step in path): path for path in paths}
    return [path for names, path in distinct.items() if list(names) != asked and names[-1] != asked[-1]]


def _walked(graph: RealGraph, random_: random.Random) -> Case | None:
    item = graph.item(random_.choice([1, 1, 2]))
    if item is None:
        return None
    steps = [(step.spelling, step.backwards) for step in item.steps]
    relevant = graph.items(item.chain[0], steps)[:_MAX_ITEMS]
    return Case(
        item.chain[0],
        ask(item.steps, item.chain[0], random_),
        tuple(relevant),
        _others(graph, item.chain[0], steps, random_),
    )


def _asked(graph: RealGraph, question: QuestionRecord, random_: random.Random) -> Case | None:
    steps = [step_relation(step) for step in question.path or ()]
    topic = question.topic or ""
    relevant = graph.items(topic, steps)[:_MAX_ITEMS]
    if not relevant:
        return None
    return Case(topic, question.question, tuple(relevant), _others(graph, topic, steps, random_))


def _others(graph: RealGraph, topic: str, asked: list[tuple[str, bool]], random_: random.Random) -> tuple[Item, ...]:
    drawn = [graph.item(random_.choice([1, 1, 2]), topic) for _ in range(random_.choice(_OTHERS))]
    found = {item.steps: item for item in drawn if item}
    return tuple(i for i in found.values() if (i.steps[-1].spelling, i.steps[-1].backwards) != asked[-1])


def _pairs(case: Case, random_: random.Random) -> list[Pair]:
    """The case's question, and up to `_MORE_QUESTIONS` about its other facts, on one and the same knowledge."""
    relevant = () if random_.random() < _UNKNOWN_SHARE else case.relevant
    knowledge_format = random_.choice(_FORMATS)
    # Only texts are kept short; other formats give all facts.
    most = MAX_LIST if knowledge_format is KnowledgeFormat.TEXT else random_.choice([MAX_LIST, _LONG_LIST])
    shown = [shortened(item, random_, most) for item in (*relevant, *case.others)]
    if random_.random() < 0.35:
        random_.shuffle(shown)
    shown = shown[:_MAX_ITEMS]
    texts = [_rendered(item, knowledge_format, random_) for item in shown]
    left_out = [0] * len(shown)
    if knowledge_format is KnowledgeFormat.TEXT:
        # As the rewriter ends a text that names only the first facts of a long list.
        left_out = [random_.choice([0, random_.randint(1, 300)]) if len(i.ends) >= 6 else 0 for i in shown]
        texts = [f"{text} And {more} more." if more else text for text, more in zip(texts, left_out, strict=True)]
    asked = {case.relevant[0].steps: case.question}
    other_paths = list(dict.fromkeys(item.steps for item in shown if item.steps not in asked))
    for steps in random_.sample(other_paths, min(_MORE_QUESTIONS, len(other_paths))):
        asked[steps] = ask(steps, case.topic, random_)
    knowledge = " ".join(texts)
    return [
        Pair(answer_prompt(knowledge, question), _answer(case.topic, steps, shown, left_out))
        for steps, question in asked.items()
    ]


def _answer(topic: str, steps: tuple[Step, ...], shown: Sequence[Item], left_out: Sequence[int]) -> str:
    """What the shown facts, all of them taken together, answer to a question about a path."""
    triples = list(dict.fromkeys(triple for item in shown for triple in item.triples))
    reached = [topic]
    for step in steps:
        reached = [there for here in dict.fromkeys(reached) for there in _step(here, step, triples)]
    answers = [name for name in dict.fromkeys(reached) if name != topic]
    more = [more for item, more in zip(shown, left_out, strict=True) if more and item.steps == steps]
    if more:
        return join_names([*answers, f"{more[0]} more" if len(more) == 1 else "more"])
    return join_names(answers) or I_DO_NOT_KNOW


def _step(here: str, step: Step, triples: Sequence[Triple]) -> list[str]:
    fitting = [triple for triple in triples if triple.relation == step.spelling]
    if step.backwards:
        return [triple.subject for triple in fitting if triple.object == here]
    return [triple.object for triple in fitting if triple.subject == here]


def _rendered(item: Item, knowledge_format: KnowledgeFormat, random_: random.Random) -> str:
    match knowledge_format:
        case KnowledgeFormat.TRIPLES:
            return as_triples(item.triples)
        case KnowledgeFormat.YAML:
            return as_yaml(item.triples)
        case KnowledgeFormat.TEMPLATE:
            return as_sentences(item.triples)
        case _:
            # A text that says something else than its facts is replaced by the template when serving.
            return as_sentences(item.triples) if random_.random() < 0.05 else sentences(item, random_)
