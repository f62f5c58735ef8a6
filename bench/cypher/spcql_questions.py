"""Make a graph and training questions for SpCQL, whose graph and training set are not published.

The graph has OwnThink's form: one kind, and one type whose property names the relation. It holds the facts of KgCLUE,
and the names and relations of SpCQL's gold queries without their answers. The training questions are those of KgCLUE,
with queries in SpCQL's form, questions of a few Chinese patterns over the same facts, and the machine-translated train
set of SpCQL, whose names and questions are in English.
"""

import json
import lzma
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from question_sets.query_questions import QueryQuestion
from question_sets.records import QuestionRecord
from services.retriever.strategies.guard import read_query
from shared.errors import KGQAError
from shared.triple import Triple

_ENTITY = re.compile(r"ENTITY\s*\{\s*name\s*:\s*'((?:[^'\\]|\\.)*)'", re.IGNORECASE)
_RELATION = re.compile(r"Relationship\s*(?:\*[\d.]*)?\s*\{\s*name\s*:\s*'((?:[^'\\]|\\.)*)'", re.IGNORECASE)
_DISTINGUISHED = re.compile(r"（[^（）]*）$")
_TYPES = ("Relationship", "Tag", "Describe", "Ambiguity")
_SHARES = (("forward", 10), ("backward", 5), ("neighbours", 3), ("steps", 3), ("tag", 2), ("two", 3), ("pair", 2))
_LONGEST = 300
_KNOW = ("介绍一下{e}", "想了解一下{e}", "能说说{e}吗？", "{e}是什么？", "你听说过{e}吗？", "请给我讲讲{e}的相关信息")
_SOME = ("请列举{n}个和{e}有关的内容", "和{e}相关的东西有哪些，说{n}个", "能找出{n}个与{e}有关的吗？")
_WITHIN = ("{e}{n}层关系内的内容有哪些？", "想知道{e}的{n}层关系内的信息", "能介绍{e}{n}层关系之内的事物吗？")
_TAG = ("{e}属于什么类别？", "{e}的标签是什么？", "{e}是哪一类？")
_TAGGED = ("请列举{n}个{e}", "说出{n}种{e}好吗？", "有哪些{e}？说{n}个")
_WHOSE = ("{r}是{v}的有哪些？", "谁的{r}是{v}？", "哪些的{r}为{v}？", "{r}为{v}的是什么？")
_WHOSE_SOME = ("请说出{n}个{r}是{v}的", "找{n}个{r}为{v}的", "{r}是{v}的有哪些，说{n}个")
_TWO = ("{r}是{v}的那些，它们的{s}是什么？说{n}个", "{r}为{v}的，{s}分别是什么？列出{n}个")
_PAIR = ("{v}的{r}的{s}是什么？", "请问{v}的{r}的{s}是？")


def facts_of(folder: Path) -> tuple[list[Triple], list[str]]:
    """Return the facts of KgCLUE's train set in the folder of the data sets, and the question for each."""
    facts, questions = [], []
    with lzma.open(folder / "kgclue" / "train.json.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            subject, relation, object_ = row["answer"].split(" ||| ")
            facts.append(Triple(_DISTINGUISHED.sub("", subject), relation, object_))
            questions.append(row["question"])
    return facts, questions


def names_in(query: str) -> tuple[list[str], list[str]]:
    """Return the names of entities and of relations in a query of SpCQL's form."""
    return _ENTITY.findall(query), _RELATION.findall(query)


def graph_lines(facts: Sequence[Triple], gold: Sequence[QueryQuestion]) -> Iterator[str]:
    """Yield the graph as JSON Lines, as `kgqa import` reads them."""
    found = [names_in(one.query) for one in gold]
    asked = [name for entities, _ in found for name in entities]
    names = dict.fromkeys([*asked, *(name for fact in facts for name in (fact.subject, fact.object))])
    ids = {name: str(number) for number, name in enumerate(names)}
    for name, id_ in ids.items():
        yield _line(type="node", id=id_, labels=["ENTITY"], properties={"name": name})
    links = [(fact.subject, fact.relation, fact.object) for fact in facts]
    links += [(named[0], relation, named[0]) for named, relations in found if named for relation in relations]
    for subject, relation, object_ in dict.fromkeys(links):
        yield _link("Relationship", ids[subject], ids[object_], relation)
    first, second, *_ = ids.values()
    yield from (_link(type_, first, second, type_.lower()) for type_ in _TYPES[1:])


def _link(type_: str, start: str, end: str, name: str) -> str:
    ends = {"start": {"id": start}, "end": {"id": end}}
    return _line(type="relationship", label=type_, properties={"name": name}, **ends)


def _line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


def training_questions(
    facts: Sequence[Triple], questions: Sequence[str], translated: Path, count: int, seed: int
) -> list[QuestionRecord]:
    """Return `count` questions over the facts, and half as many of the translated ones whose query can be read."""
    rng = random.Random(seed)
    numbers = [number for number, fact in enumerate(facts) if fact.subject in questions[number]]
    makers: dict[str, Callable[[int], tuple[str, str]]] = {
        "forward": lambda number: (questions[number], _forward(facts[number], rng)),
        "backward": lambda number: _backward(facts[number], rng),
        "neighbours": lambda number: _neighbours(facts[number].subject, rng),
        "steps": lambda number: _steps(facts[number].subject, rng),
        "tag": lambda number: _tag(facts[number], rng),
        "two": lambda number: _two(facts[number], rng.choice(facts).relation, rng),
        "pair": lambda number: _pair(facts[number], rng.choice(facts).relation, rng),
    }
    kinds = rng.choices([kind for kind, _ in _SHARES], [weight for _, weight in _SHARES], k=count)
    made = [makers[kind](rng.choice(numbers)) for kind in kinds]
    made += _translated(translated, count // 2, rng)
    rng.shuffle(made)
    return [QuestionRecord(question=question, answers=(), cypher=query) for question, query in dict(made).items()]


def _forward(fact: Triple, rng: random.Random) -> str:
    start = f"match ({rng.choice(['', '', 'q'])}:ENTITY{{name:{_text(fact.subject)}}})"
    return f"{start}-[:Relationship{{name:{_text(fact.relation)}}}]->(m) return {_distinct(rng, 0.3)}m.name"


def _backward(fact: Triple, rng: random.Random) -> tuple[str, str]:
    number = rng.choice([0, 0, *range(2, 11)])
    wordings = _WHOSE_SOME if number else _WHOSE
    text = rng.choice(wordings).format(r=fact.relation, v=fact.object, n=number)
    query = f"match (:ENTITY{{name:{_text(fact.object)}}})<-[:Relationship{{name:{_text(fact.relation)}}}]-(m) return "
    return text, query + f"{_distinct(rng, 0.6)}m.name" + _limit(number)


def _neighbours(name: str, rng: random.Random) -> tuple[str, str]:
    number = rng.choice([0, 0, *range(2, 8)])
    text = rng.choice(_SOME if number else _KNOW).format(e=name, n=number)
    return text, f"match (q:ENTITY{{name:{_text(name)}}})--(m) return {_distinct(rng, 0.6)}m.name" + _limit(number)


def _steps(name: str, rng: random.Random) -> tuple[str, str]:
    number = rng.choice([2, 3, 4, 5])
    type_ = rng.choice(["", ":Relationship"])
    query = f"match (n:ENTITY{{name:{_text(name)}}})-[{type_}*1..{number}]->(x) return distinct x.name"
    return rng.choice(_WITHIN).format(e=name, n=number), query


def _tag(fact: Triple, rng: random.Random) -> tuple[str, str]:
    if rng.random() < 0.5:
        query = f"match (:ENTITY{{name:{_text(fact.subject)}}})-[:Tag]->(m) return m.name"
        return rng.choice(_TAG).format(e=fact.subject), query
    number = rng.randint(2, 10)
    query = f"match (:ENTITY{{name:{_text(fact.object)}}})<-[:Tag]-(m) return distinct m.name limit {number}"
    return rng.choice(_TAGGED).format(e=fact.object, n=number), query


def _two(fact: Triple, second: str, rng: random.Random) -> tuple[str, str]:
    number = rng.randint(2, 10)
    text = rng.choice(_TWO).format(r=fact.relation, v=fact.object, s=second, n=number)
    start = f"match (:ENTITY{{name:{_text(fact.object)}}})<-[:Relationship{{name:{_text(fact.relation)}}}]-(m)"
    return text, f"{start},(m)-[:Relationship{{name:{_text(second)}}}]->(n) return m.name, n.name limit {number}"


def _pair(fact: Triple, second: str, rng: random.Random) -> tuple[str, str]:
    text = rng.choice(_PAIR).format(r=fact.relation, v=fact.subject, s=second)
    start = f"match (:ENTITY{{name:{_text(fact.subject)}}})-[:Relationship{{name:{_text(fact.relation)}}}]->(m)"
    return text, f"{start}-[:Relationship{{name:{_text(second)}}}]->(n) return {_distinct(rng, 0.5)}n.name"


def _translated(file: Path, count: int, rng: random.Random) -> list[tuple[str, str]]:
    with lzma.open(file, "rt", encoding="utf-8") as opened:
        rows = json.load(opened)
    rng.shuffle(rows)
    found: list[tuple[str, str]] = []
    for row in rows:
        try:
            read_query(row["cypher"])
        except KGQAError:
            continue
        if len(row["query"]) <= _LONGEST:
            found.append((row["query"], row["cypher"]))
        if len(found) == count:
            break
    return found


def _distinct(rng: random.Random, share: float) -> str:
    return "distinct " if rng.random() < share else ""


def _limit(number: int) -> str:
    return f" limit {number}" if number else ""


def _text(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
