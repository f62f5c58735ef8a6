"""Make training pairs of a graph for each task of knowledge-graph tuning (Bridging the Gap, section 3.4)."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from question_sets.records import QuestionRecord
from services.rewriter.prompts import rewrite_prompt
from shared.llm.prompt_escaping import escape_prompt
from shared.triple import Triple
from texts.verbalise.formats import as_triples, as_yaml
from texts.verbalise.template import as_sentences
from training.answerer.examples import GraphCases
from training.lora.task import Pair
from training.synthetic.evidence import shorten, verbalise_item
from training.synthetic.real_graph import RealGraph
from training.synthetic.relations import Relation, relations_by_name
from training.tuning.prompts import reasoned_reply, reasoning_prompt
from training.tuning.task import Task

_MAX_FACTS = 12
_MAX_ITEMS = 5
_MAX_CHARACTERS = 1_500
_TRIES = 20
_HOPS = (1, 1, 1, 2)
_USUAL_SHARE = 0.9
_MASK = "?"


class TuningTasks:
    """Make pairs from the facts of a graph and, for reasoning, from questions about it.

    The paper lets a larger model explain the answers. Here, the sentences along the gold paths are the reasoning, so
    that it is right and no other model is needed.
    """

    def __init__(
        self,
        facts: Sequence[Triple],
        questions: Sequence[QuestionRecord],
        seed: int,
        wordings: Mapping[str, Relation] | None = None,
    ) -> None:
        """Draw from these facts; without questions with paths, questions are made up.

        Args:
            facts: The facts of the graph, or a sample.
            questions: Questions with topics, relation paths, and answers.
            seed: The seed of all choices.
            wordings: Wordings of relations, which are otherwise derived from their names.
        """
        self._random = random.Random(seed)
        relations = relations_by_name({fact.relation for fact in facts}, wordings or {})
        self._graph = RealGraph(facts, relations, self._random)
        self._around: dict[str, list[Triple]] = {}
        for fact in facts:
            for end in dict.fromkeys((fact.subject, fact.object)):
                self._around.setdefault(end, []).append(fact)
        self._facts = facts
        self._names = list(self._around)
        self._cases = GraphCases(self._graph, questions, self._random)

    def pairs(self, task: Task, count: int) -> list[Pair]:
        """Return `count` distinct pairs of a task; fewer if the graph is small."""
        makers: Mapping[Task, Callable[[], Pair | None]] = {
            Task.ENTITY: self._entity,
            Task.RELATION: self._relation,
            Task.GRAPH_TO_TEXT: self._graph_to_text,
            Task.TEXT_TO_GRAPH: self._text_to_graph,
            Task.GRAPH: self._whole_entity,
            Task.REASONING: self._reasoning,
        }
        return list(self._distinct(makers[task], count))

    def _distinct(self, make: Callable[[], Pair | None], count: int) -> Iterator[Pair]:
        seen: set[Pair] = set()
        failed = 0
        while len(seen) < count and failed < _TRIES * (count + 1):
            made = make()
            if made is None or made in seen or len(made.prompt) + len(made.completion) > _MAX_CHARACTERS:
                failed += 1
                continue
            seen.add(made)
            yield made

    def _described(self) -> tuple[str, list[Triple]]:
        """Return an entity, and some of the facts around it."""
        name = self._random.choice(self._names)
        facts = self._around[name]
        return name, self._random.sample(facts, min(_MAX_FACTS, len(facts)))

    def _entity(self) -> Pair | None:
        name, facts = self._described()
        if len(facts) < 2 or any(fact.subject == fact.object for fact in facts):
            return None
        masked = [Triple(*(_MASK if part == name else part for part in _parts(fact))) for fact in facts]
        return Pair(f"Which entity is {_MASK} in this knowledge graph?\n{escape_prompt(as_yaml(masked))}", name)

    def _relation(self) -> Pair | None:
        fact = self._random.choice(self._facts)
        between = {one.relation for one in self._around[fact.subject] if one.object == fact.object}
        asked = f"How is {escape_prompt(fact.subject)} related to {escape_prompt(fact.object)} in the knowledge graph?"
        return Pair(asked, "; ".join(sorted(between)))

    def _graph_to_text(self) -> Pair | None:
        item = self._graph.item(self._random.choice(_HOPS))
        if item is None:
            return None
        shown = shorten(item, self._random)
        text = verbalise_item(shown, self._random, _USUAL_SHARE)
        return Pair(rewrite_prompt(as_triples(shown.triples)), text)

    def _text_to_graph(self) -> Pair | None:
        item = self._graph.item(self._random.choice(_HOPS))
        if item is None:
            return None
        shown = shorten(item, self._random)
        text = verbalise_item(shown, self._random, _USUAL_SHARE)
        return Pair(f"Write the facts in this text as triples: {escape_prompt(text)}", as_triples(shown.triples))

    def _whole_entity(self) -> Pair | None:
        name, facts = self._described()
        return Pair(f"Write what the knowledge graph holds about {escape_prompt(name)}.", as_yaml(facts))

    def _reasoning(self) -> Pair | None:
        case = self._cases.draw()
        if case is None:
            return None
        relevant = [shorten(item, self._random) for item in case.relevant[:_MAX_ITEMS]]
        shown = [*relevant, *(shorten(item, self._random) for item in case.others[: _MAX_ITEMS - len(relevant)])]
        self._random.shuffle(shown)
        knowledge = as_yaml([fact for item in shown for fact in item.triples])
        reasoning = as_sentences(list(dict.fromkeys(fact for item in relevant for fact in item.triples)))
        answers = list(dict.fromkeys(end for item in relevant for end in item.ends))
        return Pair(reasoning_prompt(knowledge, case.question), reasoned_reply(reasoning, answers))


def _parts(fact: Triple) -> tuple[str, str, str]:
    return fact.subject, fact.relation, fact.object
