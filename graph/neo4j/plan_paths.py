"""Compile the search for shortest paths to clauses of Cypher.

A quantified path pattern always has an upper bound, and its condition holds for each node while Neo4j searches, so that
the paths are the shortest among those that meet it.
"""

from graph.neo4j.cypher_text import quote
from graph.neo4j.plan_expressions import ExpressionCompiler, place_of
from graph.plan.algebra import Expression, ShortestPaths


def paths_clause(step: ShortestPaths, expressions: ExpressionCompiler) -> list[str]:
    """Return the lines of a subquery that adds the variables of the paths to each row."""
    source, target, node = quote(step.source), quote(step.target), quote(step.node)
    path, nodes, links, degrees, found, place, item, sum_ = (expressions.new_name() for _ in range(8))
    types = _types(step)
    results = [f"{place} + 1", *(f"{found}[{place}][{number}]" for number in range(3))]
    returned = ", ".join(f"{value} AS {quote(name)}" for value, name in zip(results, step.columns, strict=True))
    # Of the paths with the same nodes, the first one has the first relationships.
    return [
        f"CALL ({source}, {target}) {{",
        f"WITH {source}, {target} WHERE {source} <> {target}",
        f"MATCH {path} = ALL SHORTEST ({source}) "
        f"(()-[{types}]-({node}){_admitted(step, expressions)}){{1,{step.max_length}}} ({target})",
        f"WITH nodes({path}) AS {nodes}, relationships({path}) AS {links} "
        f"ORDER BY [{item} IN {links} | {place_of(item)}]",
        f"WITH {nodes}, head(collect({links})) AS {links}",
        f"WITH {nodes}, {links}, [{item} IN {nodes}[1..-1] | {_degree(item, step, expressions)}] AS {degrees}",
        f"ORDER BY reduce({sum_} = 0, {item} IN {degrees} | {sum_} + {item}), [{item} IN {nodes} | {place_of(item)}] "
        f"LIMIT {expressions.parameter(step.limit)}",
        f"WITH collect([{nodes}, {links}, {degrees}]) AS {found}",
        f"UNWIND range(0, size({found}) - 1) AS {place}",
        f"RETURN {returned}",
        "}",
    ]


def _types(step: ShortestPaths) -> str:
    return ":" + "|".join(map(quote, step.types)) if step.types else ""


def _admitted(step: ShortestPaths, expressions: ExpressionCompiler) -> str:
    """Compile the condition of the nodes on a path; its last node is one of the ends, and always admitted."""
    if (condition := step.admitted) is None:
        return ""
    return f" WHERE {quote(step.node)} = {quote(step.target)} OR {_holds(condition, step, expressions)}"


def _degree(item: str, step: ShortestPaths, expressions: ExpressionCompiler) -> str:
    where = "" if step.where is None else f" WHERE {_holds(step.where, step, expressions)}"
    return f"COUNT {{ ({item})-[{_types(step)}]-({quote(step.node) if where else ''}){where} }}"


def _holds(condition: Expression, step: ShortestPaths, expressions: ExpressionCompiler) -> str:
    return expressions.condition_in(expressions.scope.along(step), condition)
