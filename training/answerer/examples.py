"""Generate training examples for the QA model: prompt T2 with facts and a question, and the answer from these facts.

The facts are given in every format that the rewriter may use (text, template, triples, YAML). Relevant facts are mixed
with other facts about the same topic. If the facts do not contain the answer, the model learns to say that it does not
know.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from contracts.rewrite import KnowledgeFormat
from graph.store import RelationPath
from question_sets.records import QuestionRecord
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from shared.triple import Triple
from texts.verbalise.formats import as_triples, as_yaml, separator
from texts.verbalise.template import as_sentences, join_names
from training.lora.task import Pair
from training.synthetic.evidence import MAX_LIST, EvidenceItem, Step, shorten, verbalise_item
from training.synthetic.invented_graph import InventedGraph
from training.synthetic.questions import full_question
from training.synthetic.real_graph import RealGraph
from training.synthetic.relations import Relation, relations_by_name

_FORMATS = (
    [KnowledgeFormat.TEXT] * 9
    + [KnowledgeFormat.TEMPLATE] * 4
    + [KnowledgeFormat.TRIPLES] * 5
    + [KnowledgeFormat.YAML] * 2
)
_HOPS = [1] * 9 + [2] * 8 + [3] * 2
_REAL_HOPS = [1, 1, 2]
_OTHERS = [0, 0, 0, 1, 1, 2, 2, 3, 4]
_BRANCHES = [1, 1, 1, 2, 2, 3, 4]
_REAL_SHARE = 0.6
_ASKED_SHARE = 0.85
_UNKNOWN_SHARE = 0.05
_WRITTEN_SHARE = 0.35
_NEAR_SHARE = 0.6
_NAMESAKE_SHARE = 0.1
_SHUFFLED_SHARE = 0.35
_TEMPLATE_SHARE = 0.05
_MAX_ITEMS = 5
_MAX_EXTRA_QUESTIONS = 2
_LONG_LIST = 24
_MAX_CHARACTERS = 1500


@dataclass(frozen=True, slots=True)
class Case:
    """Hold a question about a topic entity, the evidence that answers it, and irrelevant evidence.

    `written` maps relation paths to the questions in the question file about the same topic entity.
    """

    topic: str
    question: str
    relevant: tuple[EvidenceItem, ...]
    others: tuple[EvidenceItem, ...]
    written: Mapping[RelationPath, list[str]] = field(default_factory=dict)


def training_examples(
    count: int,
    facts: Sequence[Triple],
    questions: Sequence[QuestionRecord],
    seed: int = 13,
    wordings: Mapping[str, Relation] | None = None,
) -> list[Pair]:
    """Generate examples from the facts of a graph, questions about it, and invented graphs.

    Questions without a topic, a path, or answers are ignored. Relations that are not in `wordings` get wordings derived
    from their names. The same seed gives the same examples.
    """
    random_ = random.Random(seed)
    relations = relations_by_name({fact.relation for fact in facts}, wordings or {})
    pairs: list[Pair] = []
    for case in _cases(RealGraph(facts, relations, random_), questions, random_):
        pairs += [p for p in _pairs(case, random_) if len(p.prompt) + len(p.completion) <= _MAX_CHARACTERS]
        if len(pairs) >= count:
            break
    return pairs[:count]


class GraphCases:
    """Draw cases about a graph: most are those of the questions, if these have topics, paths, and answers."""

    def __init__(self, graph: RealGraph, questions: Sequence[QuestionRecord], random_: random.Random) -> None:
        """Index the questions by topic and path."""
        self._graph = graph
        self._random = random_
        self._written: dict[str, dict[RelationPath, list[str]]] = defaultdict(lambda: defaultdict(list))
        for question in questions:
            if question.topic and question.path and question.answers:
                self._written[question.topic][question.path].append(question.question)
        self._asked = [
            (topic, path, text)
            for topic, paths in self._written.items()
            for path, texts in paths.items()
            for text in texts
        ]

    def draw(self) -> Case | None:
        """Draw a case; None if the path that was drawn reaches a dead end."""
        r = self._random
        if self._asked and r.random() < _ASKED_SHARE:
            topic, path, text = r.choice(self._asked)
            return _real_case(self._graph, topic, path, text, self._written[topic], r)
        if item := self._graph.item(r.choice(_REAL_HOPS)):
            topic = item.chain[0]
            return _real_case(self._graph, topic, item.path, full_question(item.steps, topic, r), {}, r)
        return None


def _cases(graph: RealGraph, questions: Sequence[QuestionRecord], random_: random.Random) -> Iterator[Case]:
    real = GraphCases(graph, questions, random_)
    while True:
        case = _invented_case(random_) if random_.random() >= _REAL_SHARE else real.draw()
        if case:
            yield case


def _invented_case(random_: random.Random) -> Case:
    graph = InventedGraph(random_)
    steps = graph.path(random_.choice(_HOPS))
    topic = graph.name(steps[0], topic=True)
    branches = 1 if len(steps) == 1 else random_.choice(_BRANCHES)
    relevant = [graph.item(steps, topic, size=None if branches == 1 else random_.choice([1, 1, 2, 3, 5]))
                for _ in range(branches)]  # fmt: skip
    if len(steps) == 3:
        # Chains of three steps all share their first fact; only chains of two steps branch at the topic entity.
        relevant = [replace(i, chain=(topic, relevant[0].chain[1], *i.chain[2:])) for i in relevant]
    others = [graph.item(path, topic) for path in _other_paths(graph, steps, random_)]
    return Case(topic, full_question(steps, topic, random_), tuple(relevant), tuple(others))


def _other_paths(graph: InventedGraph, steps: tuple[Step, ...], random_: random.Random) -> list[tuple[Step, ...]]:
    paths = [graph.path(random_.choice(_REAL_HOPS), like=steps) for _ in range(random_.choice(_OTHERS))]
    distinct = {tuple(step.spelling for step in path): path for path in paths}
    distinct.pop(tuple(step.spelling for step in steps), None)
    return list(distinct.values())


def _real_case(
    graph: RealGraph,
    topic: str,
    path: RelationPath,
    question: str,
    written: Mapping[RelationPath, list[str]],
    random_: random.Random,
) -> Case | None:
    relevant = graph.items(topic, path)[:_MAX_ITEMS]
    if not relevant:
        return None
    return Case(topic, question, tuple(relevant), _distractors(graph, topic, path, list(written), random_), written)


def _distractors(
    graph: RealGraph, topic: str, asked: RelationPath, written: Sequence[RelationPath], random_: random.Random
) -> tuple[EvidenceItem, ...]:
    """Draw evidence that the question does not ask for, mostly along paths that a retriever may mistake for `asked`."""
    drawn = [_distractor(graph, topic, asked, written, random_) for _ in range(random_.choice(_OTHERS))]
    if random_.random() < _NAMESAKE_SHARE:
        drawn += graph.items(graph.namesake(topic), asked)[:1]
    found = {(item.chain[0], item.steps): item for item in drawn if item}
    return tuple(item for item in found.values() if item.chain[0] != topic or item.path != asked)


def _distractor(
    graph: RealGraph, topic: str, asked: RelationPath, written: Sequence[RelationPath], random_: random.Random
) -> EvidenceItem | None:
    if written and random_.random() < _WRITTEN_SHARE:
        return next(iter(graph.items(topic, random_.choice(written))), None)
    if random_.random() < _NEAR_SHARE:
        return graph.near(topic, asked)
    return graph.item(random_.choice(_REAL_HOPS), topic)


def _pairs(case: Case, random_: random.Random) -> list[Pair]:
    """Return an example for the question, and up to `_MAX_EXTRA_QUESTIONS` for others about the same facts."""
    relevant = () if random_.random() < _UNKNOWN_SHARE else case.relevant
    knowledge_format = random_.choice(_FORMATS)
    # The rewriter shortens only texts; the other formats contain all facts.
    limit = MAX_LIST if knowledge_format is KnowledgeFormat.TEXT else random_.choice([MAX_LIST, _LONG_LIST])
    shown = [shorten(item, random_, limit) for item in (*relevant, *case.others)]
    if random_.random() < _SHUFFLED_SHARE:
        random_.shuffle(shown)
    shown = shown[:_MAX_ITEMS]
    texts = [_rendered(item, knowledge_format, random_) for item in shown]
    omitted = [0] * len(shown)
    if knowledge_format is KnowledgeFormat.TEXT:
        # The rewriter adds this sentence when a text covers only the first facts of a long list.
        omitted = [random_.choice([0, random_.randint(1, 300)]) if len(i.ends) >= 6 else 0 for i in shown]
        texts = [f"{text} And {more} more." if more else text for text, more in zip(texts, omitted, strict=True)]
    knowledge = separator(knowledge_format).join(texts)
    return [
        Pair(answer_prompt(knowledge, question), _answer(case.topic, steps, shown, omitted))
        for steps, question in _questions(case, shown, random_).items()
    ]


def _questions(case: Case, shown: Sequence[EvidenceItem], random_: random.Random) -> dict[tuple[Step, ...], str]:
    questions = {case.relevant[0].steps: case.question}
    about_topic = [item for item in shown if item.chain[0] == case.topic]
    others = {item.steps: item.path for item in about_topic if item.steps not in questions}
    for steps in random_.sample(list(others), min(_MAX_EXTRA_QUESTIONS, len(others))):
        written = case.written.get(others[steps])
        questions[steps] = random_.choice(written) if written else full_question(steps, case.topic, random_)
    return questions


def _answer(topic: str, steps: tuple[Step, ...], shown: Sequence[EvidenceItem], omitted: Sequence[int]) -> str:
    """Return the answer to the question for a path, based on all shown facts together."""
    triples = list(dict.fromkeys(triple for item in shown for triple in item.triples))
    reached = [topic]
    for step in steps:
        reached = [there for here in dict.fromkeys(reached) for there in _follow(here, step, triples)]
    answers = [name for name in dict.fromkeys(reached) if name != topic]
    more = [count for item, count in zip(shown, omitted, strict=True) if count and item.steps == steps]
    if more:
        return join_names([*answers, f"{more[0]} more" if len(more) == 1 else "more"])
    return join_names(answers) or I_DO_NOT_KNOW


def _follow(here: str, step: Step, triples: Sequence[Triple]) -> list[str]:
    fitting = [triple for triple in triples if triple.relation == step.spelling]
    if step.backwards:
        return [triple.subject for triple in fitting if triple.object == here]
    return [triple.object for triple in fitting if triple.subject == here]


def _rendered(item: EvidenceItem, knowledge_format: KnowledgeFormat, random_: random.Random) -> str:
    match knowledge_format:
        case KnowledgeFormat.TRIPLES:
            return as_triples(item.triples)
        case KnowledgeFormat.YAML:
            return as_yaml(item.triples)
        case KnowledgeFormat.TEMPLATE:
            return as_sentences(item.triples)
        case _:
            # In serving, a text that is unfaithful to its facts is replaced with template sentences.
            uses_template = random_.random() < _TEMPLATE_SHARE
            return as_sentences(item.triples) if uses_template else verbalise_item(item, random_)
