"""Plans that try to take a store for themselves, and the graph of people and films that they run on."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

from graph.cypher.reader import read_cypher
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Comparison,
    Constant,
    Filter,
    Group,
    Match,
    NodePattern,
    Plan,
    Property,
)
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

PEOPLE, FILMS, IN_HUB, ROLES = 1_200, 150, 900, 1_500
_COUNT = "count(*) AS n"


@dataclass(frozen=True, slots=True)
class HostilePlan:
    """A plan, and what it tries."""

    family: str
    text: str
    plan: Plan


def crowded_graph() -> PropertyGraph:
    """Build a graph whose texts are long and alike, and where one film has most of the people."""
    rng = random.Random(11)
    people = [
        Node(
            n, frozenset({"Person"}), {"name": f"Person {n}", "bio": "ab" * rng.randint(50, 150) + "-", "group": n % 7}
        )
        for n in range(PEOPLE)
    ]
    films = [Node(PEOPLE + n, frozenset({"Film"}), {"title": f"Film {n}", "year": 1980 + n % 30}) for n in range(FILMS)]
    ends = [(n, PEOPLE) for n in range(IN_HUB)]
    ends += [(rng.randrange(PEOPLE), PEOPLE + 1 + rng.randrange(FILMS - 1)) for _ in range(ROLES)]
    links = [Relationship(n, "ACTED_IN", source, target, {}) for n, (source, target) in enumerate(ends)]
    return PropertyGraph((*people, *films), tuple(links))


def hostile_plans() -> tuple[HostilePlan, ...]:
    """Return all plans, of which no two are alike."""
    queries = {"nested lists": _nested_lists(), "cross products": _cross_products(), "quantifiers": _quantifiers()}
    read = (HostilePlan(family, text, read_cypher(text)) for family, texts in queries.items() for text in texts)
    matched = (HostilePlan("regular expressions", text, _matching(text)) for text in _patterns())
    return (*matched, *read)


def _matching(pattern: str) -> Plan:
    condition = Comparison("matches", Property("p", "bio"), Constant(pattern))
    counted = Group((), (Aggregate("n", AggregateFunction.COUNT),))
    return Plan((Match((NodePattern("p", ("Person",)),)), Filter(condition), counted))


def _patterns() -> Iterator[str]:
    letters = "abcdefghij"
    for most, count in itertools.product((9, 20, 99), (3, 5, 9)):
        yield "".join(f".{{0,{most}}}{letters[place % 2]}" for place in range(count)) + "c"
    for count in (5, 12, 25, 40):
        yield "(?:ab|a)?" * count + "c"
        yield "(?:a|b)?" * count + "c"
        yield "(?:a|ab|b)" * count + "c"
        yield "".join(f"[a-{letters[place % 10]}]{{0,9}}" for place in range(count)) + "c"
        yield "".join(f"(?:[ab]{{1,{place % 5 + 2}}}|b)?" for place in range(count)) + "c"
        yield ".*a" * count + ".*c"
        yield "[ab]*a?" * count + "c"
        yield ".?" * count + "a.?" * count + "c"
        yield "(?i)" + "(?:AB?|B)?.{0,3}" * (count // 2) + "c"
    for tail in (r"\w*", r"\w+a", "[ab]*b", "(?:.*b)?", "(?:a.*|b.*)"):
        yield f".*ab{tail}c"
        yield f"(?:.*a)?{tail}(?:b.*)?c"


def _nested_lists() -> Iterator[str]:
    lists = {
        "people": "MATCH (p:Person) WITH collect(p.name) AS xs ",
        "nodes": "MATCH (p:Person) WITH collect(p) AS xs ",
        "some": "MATCH (p:Person) WITH p LIMIT 300 WITH collect(p.name) AS xs ",
        "cast": "MATCH (p:Person)-[:ACTED_IN]->(f:Film) WITH f, collect(p.name) AS xs ",
        "hub": "MATCH (p:Person)-[:ACTED_IN]->(f:Film {title: 'Film 0'}) WITH collect(p.bio) AS xs ",
        "all": "MATCH (p) WITH collect(p) AS xs ",
    }
    for start in lists.values():
        yield start + "RETURN [x IN xs | [y IN xs | [z IN xs | z]]] AS l"
        yield start + "RETURN [x IN xs | [y IN xs | [z IN xs | [w IN xs | w]]]] AS l"
        yield start + "WITH [x IN xs | xs] AS ys WITH [y IN ys | ys] AS zs RETURN [z IN zs | zs] AS l"
        yield start + "MATCH (q:Person) WITH collect(xs) AS ys MATCH (r:Person) RETURN collect(ys) AS l"
        yield start + "RETURN size([x IN xs WHERE size([y IN xs WHERE size([z IN xs WHERE z = x]) > 0]) > 0]) AS n"
        yield start + "RETURN [x IN xs | {a: x, b: [y IN xs | {c: y, d: xs}]}] AS l"
        yield start + "UNWIND xs AS x UNWIND xs AS y UNWIND xs AS z RETURN collect(z) AS l"
        yield start + "RETURN [x IN xs | [y IN xs WHERE size([z IN xs WHERE z = x]) > 1 | y]] AS l"


def _cross_products() -> Iterator[str]:
    xs = "MATCH (p:Person) WITH collect(p.bio) AS xs "
    for names in ("ab", "abc", "abcd", "abcde"):
        nodes = ", ".join(f"({name})" for name in names)
        last = names[-1]
        yield f"MATCH {nodes} RETURN {_COUNT}"
        yield f"MATCH {nodes} WHERE a.name < {last}.name RETURN {_COUNT}"
        yield f"MATCH {nodes} RETURN sum(size(toUpper({last}.bio))) AS n"
        yield f"MATCH {nodes} RETURN a.name AS x, {_COUNT} ORDER BY n DESC LIMIT 3"
        yield f"MATCH {nodes} WHERE a.bio CONTAINS {last}.bio RETURN {_COUNT}"
        yield f"MATCH {nodes} WITH a, {last} ORDER BY {last}.bio RETURN collect(a.bio) AS l"
        yield f"MATCH {nodes} WHERE a.bio =~ '.*a.*b.*c' RETURN {_COUNT}"
        yield f"{xs}MATCH {nodes} RETURN sum(size(xs)) AS n"
        yield f"{xs}MATCH {nodes} WHERE a.bio IN xs RETURN {_COUNT}"
        yield f"{xs}MATCH {nodes} RETURN max(size(xs[0])) AS n"
        yield f"{xs}MATCH {nodes} WITH {last}, [x IN xs WHERE x = {last}.bio] AS ys RETURN collect(ys) AS l"
    for low, high in ((1, 4), (3, 6)):
        yield f"MATCH (a)-[*{low}..{high}]->(b), (c), (d) RETURN {_COUNT}"
        yield f"MATCH (a)-->(f)<--(b) MATCH (b)-->(g)<--(c) MATCH (d)-[*{low}..{high}]->(e) RETURN collect(c.name) AS l"


def _quantifiers() -> Iterator[str]:
    start = "MATCH (p:Person) WITH collect(p.name) AS xs "
    cast = "MATCH (p:Person)-[:ACTED_IN]->(f:Film) WITH f, collect(p.bio) AS xs "
    for one, other in itertools.product(("any", "all", "none", "single"), repeat=2):
        yield start + f"RETURN {one}(x IN xs WHERE {other}(y IN xs WHERE toLower(y) = toUpper(x))) AS b"
        yield cast + f"WHERE {one}(x IN xs WHERE {other}(y IN xs WHERE y <> x)) RETURN {_COUNT}"
    for one in ("any", "all", "none", "single"):
        yield start + f"RETURN [x IN xs WHERE {one}(y IN xs WHERE {one}(z IN xs WHERE z = x AND y = x))] AS l"
        yield start + f"MATCH (a:Person), (b:Person) WHERE {one}(x IN xs WHERE x = a.name) RETURN {_COUNT}"
        yield start + f"MATCH (a), (b), (c) WHERE {one}(x IN xs WHERE toLower(x) > a.name) RETURN {_COUNT}"
        yield cast + f"MATCH (a:Person) WHERE {one}(x IN xs WHERE x CONTAINS a.bio) RETURN {_COUNT}"
        yield start + f"UNWIND xs AS x WITH x, xs WHERE {one}(y IN xs WHERE size(y) > size(x)) RETURN {_COUNT}"
