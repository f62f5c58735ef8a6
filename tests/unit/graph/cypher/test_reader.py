"""Cypher queries become plans, and constructs that plans do not express are named."""

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Function,
    Group,
    HasKind,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.errors import InvalidInputError

_M = Variable("m")
_NAME = Property("m", "name", as_stored=True)
_COUNT = Aggregate("n", AggregateFunction.COUNT)
_FILMS = Match((NodePattern("m", ("Movie",)),))
_RETURN_M = Project((Column("m", _M),))
_TO = RelationshipPattern("m", "p", ("R",))
_BOTH_NODES = (NodePattern("m"), NodePattern("p"))


@pytest.mark.parametrize(
    ("pattern", "match"),
    [
        ("(m)", Match((NodePattern("m"),))),
        ("(m:Movie:`Odd ``kind`)", Match((NodePattern("m", ("Movie", "Odd `kind")),))),
        ("(m:A|B)", Match((NodePattern("m"),), where=Or((HasKind("m", "A"), HasKind("m", "B"))))),
        ("(m:A&B)", Match((NodePattern("m", ("A", "B")),))),
        (
            "(m:A&B|C)",
            Match((NodePattern("m"),), where=Or((And((HasKind("m", "A"), HasKind("m", "B"))), HasKind("m", "C")))),
        ),
        ("(m {name: 'x'})", Match((NodePattern("m"),), where=Comparison("=", _NAME, Constant("x")))),
        ("(m)-[:R]->(p)", Match(_BOTH_NODES, (_TO,))),
        ("(m)<-[:R]-(p)", Match(_BOTH_NODES, (RelationshipPattern("p", "m", ("R",)),))),
        ("(m)-[:R]-(p)", Match(_BOTH_NODES, (RelationshipPattern("m", "p", ("R",), "both"),))),
        ("(m)-->(p)", Match(_BOTH_NODES, (RelationshipPattern("m", "p"),))),
        ("(m)-[r:R|S]->(p)", Match(_BOTH_NODES, (RelationshipPattern("m", "p", ("R", "S"), variable="r"),))),
        ("(m)-[:R]->(p), (m)", Match(_BOTH_NODES, (_TO,))),
        (
            "(m)-[:R]->(p) WHERE m.name = p.name AND m:A",
            Match(
                _BOTH_NODES,
                (_TO,),
                And((Comparison("=", _NAME, Property("p", "name", as_stored=True)), HasKind("m", "A"))),
            ),
        ),
    ],
)
def test_patterns_are_read(pattern: str, match: Match) -> None:
    assert read_cypher(f"MATCH {pattern} RETURN m") == Plan((match, _RETURN_M))


_PATTERN = Match(_BOTH_NODES, (_TO,))


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("1", Constant(1)),
        ("-1.5e3", Constant(-1500.0)),
        ("true", Constant(True)),
        ("NULL", Constant(None)),
        (r"'it\'s'", Constant("it's")),
        (r'"a\tb \u0041"', Constant("a\tb A")),
        (r"'a\q \d+'", Constant(r"a\q \d+")),
        ("['a', 1]", Constant(("a", 1))),
        ("[m:Movie]", ListOf((HasKind("m", "Movie"),))),
        ("m.name", _NAME),
        ("m.`odd key`", Property("m", "odd key", as_stored=True)),
        ("m:Movie", HasKind("m", "Movie")),
        ("m:A&B", And((HasKind("m", "A"), HasKind("m", "B")))),
        ("m:A|B", Or((HasKind("m", "A"), HasKind("m", "B")))),
        (r"""'C:\\"q"'""", Constant('C:\\"q"')),
        ("m.name <> 'x'", Comparison("!=", _NAME, Constant("x"))),
        ("1 < 2 <= 3", And((Comparison("<", Constant(1), Constant(2)), Comparison("<=", Constant(2), Constant(3))))),
        ("m.name IN ['x']", Comparison("in", _NAME, Constant(("x",)))),
        ("m.name STARTS WITH 'x'", Comparison("starts_with", _NAME, Constant("x"))),
        ("m.name ENDS WITH 'x'", Comparison("ends_with", _NAME, Constant("x"))),
        ("m.name CONTAINS 'x'", Comparison("contains", _NAME, Constant("x"))),
        ("m.name =~ '(?i).*x.*'", Comparison("matches", _NAME, Constant("(?i).*x.*"))),
        ("m.name IS NULL", IsMissing(_NAME)),
        ("m.name IS NOT NULL", Not(IsMissing(_NAME))),
        ("exists(m.name)", Not(IsMissing(_NAME))),
        ("NOT m.name OR true", Or((Not(_NAME), Constant(True)))),
        ("1 + 2 * 3", Arithmetic("+", Constant(1), Arithmetic("*", Constant(2), Constant(3)))),
        ("-m.name", Arithmetic("-", Constant(0), _NAME)),
        ("toLower(m.name)", Call(Function.LOWER, (_NAME,))),
        ("substring(m.name, 0, 2)", Call(Function.LEFT, (_NAME, Constant(2)))),
        ("date(m.name)", Call(Function.TO_DATE, (_NAME,))),
        ("date(m.name).year", Call(Function.YEAR, (Call(Function.TO_DATE, (_NAME,)),))),
        ("coalesce(m.name, 1)", Call(Function.COALESCE, (_NAME, Constant(1)))),
        ("m.name[0]", Call(Function.FIRST, (_NAME,))),
        ("m.name[-1]", Call(Function.LAST, (_NAME,))),
        ("m.name[..3]", Call(Function.TAKE, (_NAME, Constant(3)))),
        ("type(r)", RelationshipType("r")),
        ("(m)-[:R]->(p)", Exists(_PATTERN)),
        ("exists((m)-[:R]->(p))", Exists(_PATTERN)),
        ("EXISTS { MATCH (m)-[:R]->(p) }", Exists(_PATTERN)),
        ("COUNT { (m)-[:R]->(p) }", CountMatches(_PATTERN)),
        ("size((m)-[:R]->(p))", CountMatches(_PATTERN)),
    ],
)
def test_expressions_are_read(text: str, expression: Expression) -> None:
    assert read_cypher(f"RETURN {text} AS x") == Plan((Project((Column("x", expression),)),))


@pytest.mark.parametrize(
    ("clauses", "steps"),
    [
        ("RETURN m", (_RETURN_M,)),
        ("return m;", (_RETURN_M,)),
        ("RETURN m // all\n/* films */", (_RETURN_M,)),
        ("RETURN m.name", (Project((Column("m.name", _NAME),)),)),
        ("RETURN DISTINCT m", (Project((Column("m", _M),), distinct=True),)),
        ("RETURN m LIMIT 3", (Slice(3), _RETURN_M)),
        ("RETURN m SKIP 2 LIMIT 3", (Slice(3, 2), _RETURN_M)),
        ("RETURN m ORDER BY m.name", (Order((SortKey(_NAME),)), _RETURN_M)),
        (
            "RETURN m.name AS n ORDER BY n DESC",
            (Order((SortKey(_NAME, True, missing_first=True),)), Project((Column("n", _NAME),))),
        ),
        ("RETURN count(*) AS n", (Group((), (_COUNT,)),)),
        (
            "RETURN m.name AS k, count(DISTINCT m) AS n",
            (Group((Column("k", _NAME),), (Aggregate("n", AggregateFunction.COUNT, _M, True),)),),
        ),
        ("WITH m WHERE m:A RETURN m", (_RETURN_M, Filter(HasKind("m", "A")), _RETURN_M)),
        ("UNWIND [1] AS m RETURN m", (Unnest("m", Constant((1,))), _RETURN_M)),
        ("OPTIONAL MATCH (m) RETURN m", (Match((NodePattern("m"),), optional=True), _RETURN_M)),
        (
            "RETURN count(*) AS n ORDER BY count(*) LIMIT 1",
            (Group((), (_COUNT,)), Order((SortKey(Variable("n")),)), Slice(1)),
        ),
    ],
)
def test_clauses_are_read(clauses: str, steps: tuple[Step, ...]) -> None:
    assert read_cypher(f"MATCH (m:Movie) {clauses}") == Plan((_FILMS, *steps))


def test_an_expression_over_an_aggregate_is_computed_after_the_group() -> None:
    *_, group, project = read_cypher("MATCH (m:Movie) RETURN count(*) + 1 AS n").steps
    assert isinstance(group, Group)
    [hidden] = group.aggregates
    assert project == Project((Column("n", Arithmetic("+", Variable(hidden.name), Constant(1))),))


def test_equal_constants_of_different_types_are_not_confused() -> None:
    *_, group, project = read_cypher("MATCH (m:Movie) RETURN 2 AS k, count(m)/2.0 AS half, sum(1), sum(1.0)").steps
    assert isinstance(group, Group)
    names = {repr(one.value): one.name for one in group.aggregates}
    assert set(names) == {repr(Variable("m")), repr(Constant(1)), repr(Constant(1.0))}
    assert isinstance(project, Project)
    half = project.columns[1].value
    assert repr(half) == repr(Arithmetic("/", Variable(names[repr(Variable("m"))]), Constant(2.0)))


@pytest.mark.parametrize(("keyword", "distinct"), [("UNION", True), ("UNION ALL", False)])
def test_unions_are_read(keyword: str, distinct: bool) -> None:
    part = Plan((_FILMS, _RETURN_M))
    query = f"MATCH (m:Movie) RETURN m {keyword} MATCH (m:Movie) RETURN m"
    assert read_cypher(query) == Plan((Union((part, part), distinct),))


@pytest.mark.parametrize(
    ("query", "construct"),
    [
        ("RETURN time()", r"function time\(\) with 0 arguments"),
        ("MATCH (m) RETURN id(m)", r"function id\(\) with 1 arguments"),
        ("MATCH (m) WHERE m.name =~ '(a+)+' RETURN m", "has a repeated group"),
        ("MATCH (m) WHERE m.name =~ m.pattern RETURN m", "regular expressions that are no constant strings"),
        ("MATCH p = (m)-->(n) RETURN m", "path variables"),
        ("MATCH (m)-[*]->(n) RETURN m", "relationships of variable length without an upper bound"),
        ("RETURN 2 ^ 3", "power expressions"),
        ("RETURN $name", "parameter expressions"),
        ("MATCH (m) RETURN m {.name}", "map projection expressions"),
        ("MATCH (m) RETURN *", r"RETURN \* and WITH \*"),
        ("MATCH (m) RETURN m SKIP 1", "SKIP without LIMIT"),
        ("MATCH (m) RETURN m LIMIT m.x", "SKIP and LIMIT support only numbers"),
        ("MATCH (m) RETURN m.name ORDER BY count(*)", "ORDER BY an aggregate"),
        ("RETURN 1 UNION RETURN 2 UNION ALL RETURN 3", "UNION and UNION ALL in one query"),
        ("RETURN COLLECT { MATCH (m) RETURN m }", "collect subqueries"),
        ("RETURN [1, 2][false]", "the place of an item in a list must be an integer"),
        ("MATCH (m) RETURN m LIMIT true", "SKIP and LIMIT support only numbers"),
    ],
)
def test_an_unsupported_construct_is_named(query: str, construct: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=construct):
        read_cypher(query)


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (m:Movie) RETURN m",
        "MATCH (m) DELETE m",
        "MATCH (m) DETACH DELETE m RETURN 1",
        "MATCH (m) SET m.name = 'x' RETURN m",
        "MATCH (m) REMOVE m.name RETURN m",
        "MERGE (m) RETURN m",
        "CALL db.labels() YIELD label RETURN label",
        "LOAD CSV FROM 'file' AS row RETURN row",
        "MATCH (m RETURN m",
        "RETURN 'open",
        "",
        "MATCH (m)",
        "MATCH (m) WITH m",
    ],
)
def test_a_query_that_writes_or_is_not_cypher_is_rejected(query: str) -> None:
    with pytest.raises(InvalidInputError, match=r"(cannot read the Cypher query at|does not end with RETURN)"):
        read_cypher(query)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (f"RETURN {'9' * 5000}", "the integer 9999999999999999999... needs more than 64 bits"),
        (r"RETURN 'a\ug'", r"has an invalid escape: \\ug"),
        (r"RETURN 'a\U00110000'", "has an invalid escape"),
    ],
)
def test_a_value_that_cannot_be_read_is_rejected(query: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        read_cypher(query)
