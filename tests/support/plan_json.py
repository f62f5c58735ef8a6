"""Write query plans as JSON, briefly."""

from typing import Any

Json = dict[str, Any]


def variable(name: str) -> Json:
    """Refer to a variable."""
    return {"op": "variable", "name": name}


def constant(value: Any) -> Json:
    """Write a constant."""
    return {"op": "constant", "value": value}


def read(path: str, **more: Any) -> Json:
    """Read a property: `c.population`."""
    name, key = path.split(".")
    return {"op": "property", "variable": name, "key": key, **more}


def compare(operator: str, left: Json, right: Json, **more: Any) -> Json:
    """Compare two values."""
    return {"op": "comparison", "operator": operator, "left": left, "right": right, **more}


def negated(condition: Json) -> Json:
    """Negate a condition."""
    return {"op": "not", "condition": condition}


def either(*conditions: Json) -> Json:
    """Require at least one condition."""
    return {"op": "or", "conditions": list(conditions)}


def both(*conditions: Json) -> Json:
    """Require all conditions."""
    return {"op": "and", "conditions": list(conditions)}


def arithmetic(operator: str, left: Json, right: Json) -> Json:
    """Combine two values."""
    return {"op": "arithmetic", "operator": operator, "left": left, "right": right}


def call(function: str, *arguments: Json) -> Json:
    """Apply a function."""
    return {"op": "call", "function": function, "arguments": list(arguments)}


def match(nodes: str, *links: str, **more: Any) -> Json:
    """Match a pattern, with nodes such as `c:City p` and relationships such as `p -LIVED_IN-> c` or `a -r:KNOWS- b`."""
    found = [one.split(":") for one in nodes.split()]
    return {
        "op": "match",
        "nodes": [{"variable": name, "kinds": kinds} for name, *kinds in found],
        "relationships": [_link(*link.split()) for link in links],
        **more,
    }


def _link(source: str, arrow: str, target: str) -> Json:
    *name, type_ = arrow.removesuffix(">").strip("-").split(":")
    direction = "out" if arrow.endswith(">") else "both"
    return {"source": source, "target": target, "types": [type_], "direction": direction} | (
        {"variable": name[0]} if name else {}
    )


def exists(pattern: Json) -> Json:
    """Test whether a pattern matches."""
    return {"op": "exists", "match": pattern}


def count_matches(pattern: Json) -> Json:
    """Count the matches of a pattern."""
    return {"op": "count_matches", "match": pattern}


def keep(condition: Json) -> Json:
    """Filter the rows."""
    return {"op": "filter", "condition": condition}


def project(*names: str, distinct: bool = False, **columns: Json) -> Json:
    """Keep some variables, and add columns."""
    return {"op": "project", "columns": _columns(names, columns), "distinct": distinct}


def group(*keys: str, by: Json | None = None, **aggregates: tuple[Any, ...]) -> Json:
    """Group by variables and columns; an aggregate is a function, a value if it has one, and `True` if distinct."""
    return {
        "op": "group",
        "keys": _columns(keys, by or {}),
        "aggregates": [_aggregate(name, *one) for name, one in aggregates.items()],
    }


def _aggregate(name: str, function: str, value: Json | None = None, distinct: bool = False) -> Json:
    return {"name": name, "function": function, "value": value, "distinct": distinct}


def _columns(names: tuple[str, ...], columns: Json) -> list[Json]:
    named = [{"name": name, "value": variable(name)} for name in names]
    return named + [{"name": name, "value": value} for name, value in columns.items()]


def ascending(value: Json, **more: Any) -> Json:
    """Sort from low to high."""
    return {"value": value, **more}


def descending(value: Json, **more: Any) -> Json:
    """Sort from high to low."""
    return {"value": value, "descending": True, **more}


def order(*keys: Json) -> Json:
    """Sort the rows."""
    return {"op": "order", "keys": list(keys)}


def limit(number: int, offset: int = 0, per: tuple[str, ...] = ()) -> Json:
    """Keep some rows."""
    return {"op": "slice", "limit": number, "offset": offset, "per": list(per)}


def union(*plans: list[Json], distinct: bool = True) -> Json:
    """Concatenate the rows of plans."""
    return {"op": "union", "plans": [{"steps": steps} for steps in plans], "distinct": distinct}


def is_missing(value: Json) -> Json:
    """Test whether a value is missing."""
    return {"op": "is_missing", "value": value}
