"""Compile the search for shortest paths to the queries that it repeats."""

from graph.plan.algebra import Expression, ShortestPaths
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope
from graph.sqlite.path_search import PathSearch
from graph.sqlite.plan_context import Catalogue, QueryContext
from graph.sqlite.plan_patterns import Rows

# Each of the queries takes a list of nodes.
_NEIGHBOURS = """\
SELECT asked.value, t.id, t.r, t.o FROM json_each(:nodes) AS asked
CROSS JOIN triples AS t ON t.s = asked.value{types}
UNION ALL
SELECT asked.value, t.id, t.r, t.s FROM json_each(:nodes) AS asked
CROSS JOIN triples AS t INDEXED BY triples_backwards ON t.o = asked.value{types}"""
_ADMITTED = "SELECT asked.value FROM json_each(:nodes) AS asked WHERE true"
_DEGREES = """\
SELECT asked.value, entities.degree FROM json_each(:nodes) AS asked
CROSS JOIN entities ON entities.id = asked.value"""
# A relationship from a node to itself counts once, as in the column `degree`.
_COUNTED_DEGREES = """\
SELECT asked.value, (SELECT count(*) FROM triples AS t WHERE t.s = asked.value{types}{target})
+ (SELECT count(*) FROM triples AS t WHERE t.o = asked.value AND t.s <> asked.value{types}{source})
FROM json_each(:nodes) AS asked"""


def compile_search(step: ShortestPaths, catalogue: Catalogue, schema: GraphSchema) -> PathSearch:
    """Compile a step; its conditions have parameters of their own, apart from those of the plan."""
    context = QueryContext(catalogue)
    scope = Scope(schema).along(step)

    def holds(condition: Expression | None, node: str) -> str:
        if condition is None:
            return ""
        return f" AND {Rows(context, scope, {step.node: (node,)}, {}).condition(condition)}"

    types = f" AND t.r IN ({', '.join(str(catalogue.relations[one]) for one in step.types)})" if step.types else ""
    degrees = _DEGREES
    if step.types or step.where is not None:
        conditions = {"target": holds(step.where, "t.o"), "source": holds(step.where, "t.s")}
        degrees = _COUNTED_DEGREES.format(types=types, **conditions)
    admitted = None if step.admitted is None else f"{_ADMITTED}{holds(step.admitted, 'asked.value')}"
    return PathSearch(
        neighbours=_NEIGHBOURS.format(types=types),
        admitted=admitted,
        degrees=degrees,
        parameters=context.parameters,
        max_length=step.max_length,
        limit=step.limit,
    )
