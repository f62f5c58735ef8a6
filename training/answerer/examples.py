"""Examples to train the QA model on: facts in template T2 with a question, and the answer that the facts hold.

Facts come in every form in which the rewriter may put them (sentences, template, triples, YAML), relevant ones mixed
with others about the same topic; where they do not hold the answer, the answer is that it is not known.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from question_sets.records import QuestionRecord
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from shared.contracts import KnowledgeFormat
from shared.graph.store import split_step
from shared.triple import Triple
from shared.verbalise.formats import as_triples, as_yaml, separator
from shared.verbalise.template import as_sentences, join_names
from training.answerer.questions import ask
from training.lora.task import Pair
from training.synthetic.derived import relations_of
from training.synthetic.evidence import MAX_LIST, InventedGraph, Item, RealGraph, Step, sentences, shortened
from training.synthetic.world import WORLD

_FORMATS = [KnowledgeFormat.TEXT] * 9 + [KnowledgeFormat.TEMPLATE] * 4 + [KnowledgeFormat.TRIPLES] * 5 + [
    KnowledgeFormat.YAML] * 2  # fmt: skip
_HOPS = [1] * 9 + [2] * 8 + [3] * 2
_OTHERS = [0, 0, 0, 1, 1, 2, 2, 3, 4]
_BRANCHES = [1, 1, 1, 2, 2, 3, 4]
_REAL_SHARE = 0.6
_ASKED_SHARE = 0.85
_UNKNOWN_SHARE = 0.05
_WRITTEN_SHARE = 0.35
_NEAR_SHARE = 0.6
_NAMESAKE_SHARE = 0.1
_MAX_ITEMS = 5
_MORE_QUESTIONS = 2
_LONG_LIST = 24
_LONGEST_CHARACTERS = 1500


_Path = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A question on a topic entity, the items of evidence that answer it, and others about the same topic.

    `written`: questions on the same topic entity that people wrote, by their relation paths.
    """

    topic: str
    question: str
    relevant: tuple[Item, ...]
    others: tuple[Item, ...]
    written: Mapping[_Path, list[str]] = field(default_factory=dict)


def training_examples(
    count: int, facts: Sequence[Triple], questions: Sequence[QuestionRecord], seed: int = 13
) -> list[Pair]:
    """`count` examples, the same for the same seed; `facts` and `questions` are those of the graph to be served."""
    random_ = random.Random(seed)
    graph = RealGraph(facts, relations_of({fact.relation for fact in facts}, WORLD), random_)
    pairs: list[Pair] = []
    for case in _cases(graph, questions, random_):
        pairs += [p for p in _pairs(case, random_) if len(p.prompt) + len(p.completion) <= _LONGEST_CHARACTERS]
        if len(pairs) >= count:
            break
    return pairs[:count]


def _cases(graph: RealGraph, questions: Sequence[QuestionRecord], random_: random.Random) -> Iterator[Case]:
    written: dict[str, dict[_Path, list[str]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        if question.topic and question.path and question.answers:
            written[question.topic][_path(question)].append(question.question)
    asked = [(topic, path, text) for topic, paths in written.items() for path, texts in paths.items() for text in texts]
    while True:
        case = None
        if random_.random() >= _REAL_SHARE:
            case = _invented(random_)
        elif asked and random_.random() < _ASKED_SHARE:
            topic, path, text = random_.choice(asked)
            case = _asked(graph, topic, path, text, written[topic], random_)
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
    return [path for names, path in distinct.items() if list(names) != asked]


def _walked(graph: RealGraph, random_: random.Random) -> Case | None:
    item = graph.item(random_.choice([1, 1, 2]))
    if item is None:
        return None
    return _asked(graph, item.chain[0], _spelt(item.steps), ask(item.steps, item.chain[0], random_), {}, random_)


def _asked(
    graph: RealGraph,
    topic: str,
    path: _Path,
    question: str,
    written: Mapping[_Path, list[str]],
    random_: random.Random,
) -> Case | None:
    relevant = graph.items(topic, path)[:_MAX_ITEMS]
    if not relevant:
        return None
    return Case(topic, question, tuple(relevant), _others(graph, topic, path, list(written), random_), written)


def _others(
    graph: RealGraph, topic: str, asked: _Path, written: Sequence[_Path], random_: random.Random
) -> tuple[Item, ...]:
    """Facts that the question does not ask for, most of them along paths that a retriever confuses with its own."""
    drawn = [_other(graph, topic, asked, written, random_) for _ in range(random_.choice(_OTHERS))]
    if random_.random() < _NAMESAKE_SHARE:
        drawn += graph.items(graph.namesake(topic), asked)[:1]
    found = {(item.chain[0], item.steps): item for item in drawn if item}
    return tuple(item for item in found.values() if item.chain[0] != topic or _spelt(item.steps) != asked)


def _other(graph: RealGraph, topic: str, asked: _Path, written: Sequence[_Path], random_: random.Random) -> Item | None:
    if written and random_.random() < _WRITTEN_SHARE:
        return next(iter(graph.items(topic, random_.choice(written))), None)
    if random_.random() < _NEAR_SHARE:
        return graph.near(topic, asked)
    return graph.item(random_.choice([1, 1, 2]), topic)


def _path(question: QuestionRecord) -> _Path:
    return tuple(split_step(step) for step in question.path or ())


def _spelt(steps: tuple[Step, ...]) -> _Path:
    return tuple((step.spelling, step.backwards) for step in steps)


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
    about_topic = [item.steps for item in shown if item.chain[0] == case.topic]
    other_paths = [steps for steps in dict.fromkeys(about_topic) if steps not in asked]
    for steps in random_.sample(other_paths, min(_MORE_QUESTIONS, len(other_paths))):
        texts_of_path = case.written.get(_spelt(steps))
        asked[steps] = random_.choice(texts_of_path) if texts_of_path else ask(steps, case.topic, random_)
    knowledge = separator(knowledge_format).join(texts)
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
