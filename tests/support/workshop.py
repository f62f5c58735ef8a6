"""A workshop whose jobs have costs, weights, durations, and moments at which they start and end."""

from datetime import date, datetime

from graph.plan.durations import DurationText
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship


def _job(number: int, name: str, cost: float, took: str, day: int, hours: int) -> Node:
    start = datetime(2023, 3, day, 8)
    properties = {
        "name": name, "cost": cost, "setup": DurationText(took), "weight_kg": 100 * number,
        "billed_on": date(2023, 3, day), "startTime": start, "end_time": start.replace(hour=8 + hours),
    }  # fmt: skip
    return Node(number, frozenset({"Job"}), properties)


def workshop() -> PropertyGraph:
    """Return three jobs: the cheapest has the longest setup, and lasts two hours."""
    jobs = (
        _job(1, "Alpha", 80.0, "PT4H30M", 1, 2),
        _job(2, "Beta", 120.5, "PT50M", 2, 5),
        _job(3, "Gamma", 300.0, "PT2H", 28, 1),
    )
    machine = Node(4, frozenset({"Machine"}), {"name": "Mill", "latitude": 51.2, "longitude": 4.4, "built": 1987})
    uses = tuple(Relationship(number, "uses", job.id, machine.id, {}) for number, job in enumerate(jobs))
    return PropertyGraph((*jobs, machine), uses)
