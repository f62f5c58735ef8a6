"""Build query plans about MetaQA's films, at least one for each operator, with random parameters."""

from collections.abc import Callable
from functools import partial
from itertools import product

from bench.stores.film_patterns import (
    ACTORS,
    DIRECTOR,
    NAME,
    POSITION,
    WRITER,
    YEAR,
    FilmPatterns,
    Operator,
    column,
    compare,
    plan,
)
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

_COUNT = Group((), (Aggregate("n", AggregateFunction.COUNT),))
_ORDERINGS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=")
_TEXT: tuple[Operator, ...] = ("=", "contains", "starts_with", "ends_with")
_OF_NAMES = (Function.LOWER, Function.UPPER, Function.TRIM, Function.SIZE)
_OF_YEARS = (Function.ABS, Function.ROUND, Function.FLOOR, Function.CEIL, Function.TO_FLOAT, Function.TO_STRING)
_OF_DATES = (Function.TO_DATE, Function.TO_DATETIME, Function.YEAR, Function.MONTH, Function.DAY)
_Makers = dict[str, Callable[[], Plan]]


class FilmPlans(FilmPatterns):
    """Build plans for each operator."""

    def operators(self) -> _Makers:
        """Return a function for each operator that builds a plan with new random parameters."""
        common = self._matches() | self._conditions() | self._rows() | self._stages() | self._values()
        return common | self._of_property_graphs() if self.has_kinds else common

    def _matches(self) -> _Makers:
        return {
            "match by name": lambda: plan(self.named("f", self.film_name())),
            "match by ids": lambda: plan(Match((NodePattern("f", self.kinds("Film"), self.some_films()),))),
            "match, one hop": lambda: plan(self.acted_in(self.is_person())),
            "match, two hops": lambda: plan(self.colleagues(), Project((column("q", NAME),), distinct=True)),
            "match, either direction": lambda: plan(
                Match(
                    (NodePattern("p", self.kinds("Person")), NodePattern("x")),
                    (RelationshipPattern("p", "x", direction="both"),),
                    self.is_person(),
                )
            ),
            "match, relationship type": lambda: plan(
                Match(
                    (NodePattern("f"), NodePattern("x")),
                    (RelationshipPattern("f", "x", variable="r"),),
                    compare("f", NAME, "=", self.film_name()),
                ),
                Project((Column("type", RelationshipType("r")), column("x", NAME))),
            ),
            "match, optional": lambda: plan(
                self.acted_in(self.is_person()),
                Match((NodePattern("f"), NodePattern("w")), (RelationshipPattern("f", "w", (WRITER,)),), optional=True),
                Project((column("f", NAME), column("w", NAME))),
            ),
        }

    def _conditions(self) -> _Makers:
        found: _Makers = {}
        for operator in _ORDERINGS:
            found[f"filter, number {operator}"] = partial(self._with_year, operator)
        for operator, folds in product(_TEXT, (False, True)):
            found[f"filter, name {operator}{', ignore case' * folds}"] = partial(self._with_name, operator, folds)
        films = self.films
        return found | {
            "filter, lower(name) contains": lambda: plan(
                films(
                    Comparison(
                        "contains",
                        Call(Function.LOWER, (Property("f", NAME),)),
                        Constant(self.part("contains").lower()),
                    )
                ),
                _COUNT,
            ),
            "filter, in": lambda: plan(
                films(Comparison("in", Property("f", YEAR), Constant(tuple(self.year() for _ in range(3))))), _COUNT
            ),
            "filter, is_missing": lambda: plan(films(IsMissing(Property("f", YEAR))), _COUNT),
            "filter, not": lambda: plan(films(Not(compare("f", YEAR, "<", self.year()))), _COUNT),
            "filter, and": lambda: plan(films(self.between()), _COUNT),
            "filter, or": lambda: plan(
                films(Or((compare("f", YEAR, "=", self.year()), compare("f", YEAR, "=", self.year())))), _COUNT
            ),
            "filter, exists": lambda: plan(films(self.between(), Exists(self.directed())), _COUNT),
            "filter, not exists": lambda: plan(films(self.between(), Not(Exists(self.directed()))), _COUNT),
            "filter, count_matches": lambda: plan(
                films(self.between(), Comparison(">", CountMatches(self.directed()), Constant(1))), _COUNT
            ),
        }

    def _rows(self) -> _Makers:
        by_year = SortKey(Property("f", YEAR), descending=True)

        def top() -> tuple[Step, ...]:
            return Order((by_year,)), Slice(self.rng.randint(1, 20))

        of_genre = self.films_of_genre
        titles = Project((column("f", NAME), column("f", YEAR)))
        return {
            "project, distinct": lambda: plan(of_genre(), Project((column("f", YEAR),), distinct=True)),
            "group": lambda: plan(of_genre(), Group((column("f", YEAR),), (Aggregate("n", AggregateFunction.COUNT),))),
            "group with a condition": lambda: plan(
                of_genre(),
                Group((column("f", YEAR),), (Aggregate("n", AggregateFunction.COUNT),)),
                Filter(Comparison(">", Variable("n"), Constant(self.rng.randint(2, 9)))),
            ),
            "order": lambda: plan(of_genre(), Order((by_year,)), titles),
            "slice, top of a genre": lambda: plan(of_genre(), *top(), titles),
            "slice, top of all films": lambda: plan(self.films(), *top(), titles),
            "slice, first of all films": lambda: plan(
                self.films(),
                Order((SortKey(Property("f", YEAR)), SortKey(Property("f", NAME)))),
                Slice(10, 20),
                titles,
            ),
            "slice, unsorted": lambda: plan(self.films(), Slice(self.rng.randint(1, 50)), titles),
            "slice per group": lambda: plan(
                self.acted_in(self.is_from_year()),
                Order((by_year,)),
                Slice(1, per=("p",)),
                Project((column("p", NAME), column("f", NAME))),
            ),
        }

    def _stages(self) -> _Makers:
        by_year = SortKey(Property("f", YEAR), descending=True)
        collect = Aggregate("titles", AggregateFunction.COLLECT, Property("f", NAME))
        per_person = (Column("p", Variable("p")),)
        return {
            "unnest": lambda: plan(
                self.colleagues(),
                Group((Column("q", Variable("q")),), (collect,)),
                Unnest("title", Variable("titles")),
                Project((column("q", NAME), Column("title", Variable("title")))),
            ),
            "union": lambda: plan(Union((self.people_of(ACTORS), self.people_of(DIRECTOR)))),
            "union, not distinct": lambda: plan(
                Union((self.people_of(ACTORS), self.people_of(DIRECTOR)), distinct=False)
            ),
            "second stage": lambda: plan(
                self.colleagues(),
                Group((Column("q", Variable("q")),), (Aggregate("n", AggregateFunction.COUNT),)),
                Order((SortKey(Variable("n"), descending=True),)),
                Slice(3),
                self.acted_in(None, "q", "g"),
                Project((column("q", NAME), column("g", NAME))),
            ),
            "path after a superlative": lambda: plan(
                self.acted_in(self.is_person()),
                Order((by_year,)),
                Slice(1),
                Match((NodePattern("f"), NodePattern("d")), (RelationshipPattern("f", "d", (DIRECTOR,)),)),
                Project((column("d", NAME),)),
            ),
            "most frequent": lambda: plan(
                self.films_of_genre(),
                self.acted_in(None),
                Group(per_person, (Aggregate("n", AggregateFunction.COUNT),)),
                Order((SortKey(Variable("n"), descending=True),)),
                Slice(10),
            ),
        }

    def _values(self) -> _Makers:
        found: _Makers = {}
        for function, distinct in product(AggregateFunction, (False, True)):
            label = f"{function}{', distinct' * distinct}"
            if function is AggregateFunction.COLLECT:
                found[label] = partial(self._total, self.films_of_genre, function, distinct)
            else:
                found[f"{label}, all films"] = partial(self._total, self.films, function, distinct)
        year, name = Property("f", YEAR), Property("f", NAME)
        years = ListOf((year, Arithmetic("+", year, Constant(1))))
        expressions: dict[str, Expression] = {
            **{
                f"arithmetic {operator}": Arithmetic(operator, year, Constant(10))
                for operator in ("+", "-", "*", "/", "%")
            },
            **{str(function): Call(function, (name,)) for function in _OF_NAMES},
            **{str(function): Call(function, (year,)) for function in _OF_YEARS},
            "left": Call(Function.LEFT, (name, Constant(3))),
            "to_integer": Call(Function.TO_INTEGER, (Call(Function.TO_STRING, (year,)),)),
            **{str(function): Call(function, (Constant("1996-08-01 10:30:00"),)) for function in _OF_DATES[:2]},
            **{
                str(function): Call(function, (Call(Function.TO_DATE, (Constant("1996-08-01"),)),))
                for function in _OF_DATES[2:]
            },
            "coalesce": Call(Function.COALESCE, (year, Constant(0))),
            "list": years,
            "first": Call(Function.FIRST, (years,)),
            "last": Call(Function.LAST, (years,)),
            "take": Call(Function.TAKE, (years, Constant(1))),
        }
        return found | {label: partial(self._computed, value) for label, value in expressions.items()}

    def _of_property_graphs(self) -> _Makers:
        position = RelationshipPattern("f", "p", (ACTORS,), variable="r")
        cast = (NodePattern("f", ("Film",)), NodePattern("p", ("Person",)))
        return {
            "match by kind": lambda: plan(Match((NodePattern("g", ("Genre",)),))),
            "has_kind": lambda: plan(
                self.films(compare("f", YEAR, "=", self.year()), HasKind("f", self.rng.choice(("Tag", "Person")))),
                _COUNT,
            ),
            "relationship property, filter": lambda: plan(
                Match(cast, (position,), And((self.is_person(), compare("r", POSITION, "=", 1)))),
                Project((column("f", NAME),)),
            ),
            "relationship property, order": lambda: plan(
                Match(cast, (position,), compare("f", NAME, "=", self.film_name())),
                Order((SortKey(Property("r", POSITION)),)),
                Project((column("p", NAME),)),
            ),
            "relationship property, average": lambda: plan(
                Match(cast, (position,), self.is_person()),
                Group((), (Aggregate("x", AggregateFunction.AVERAGE, Property("r", POSITION)),)),
            ),
        }

    # Plans

    def _with_year(self, operator: Operator) -> Plan:
        return plan(self.films(compare("f", YEAR, operator, self.year())), _COUNT)

    def _with_name(self, operator: Operator, ignore_case: bool) -> Plan:
        return plan(self.films(compare("f", NAME, operator, self.part(operator), ignore_case)), _COUNT)

    def _total(self, match: Callable[[], Match], function: AggregateFunction, distinct: bool) -> Plan:
        return plan(match(), Group((), (Aggregate("x", function, Property("f", YEAR), distinct),)))

    def _computed(self, value: Expression) -> Plan:
        return plan(self.films(compare("f", YEAR, "=", self.year())), Project((Column("x", value),)))
