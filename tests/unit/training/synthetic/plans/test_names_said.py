"""Test which names of an owner training uses."""

from graph.plan.schema import Meaning
from training.synthetic.plans.names_said import names_said


def test_names_come_by_stored_name_from_all_places_and_once() -> None:
    meanings = {
        ("relationships", "rpts_to"): Meaning(names=("reports to", "boss"), inverse_names=("manages",)),
        ("properties", "since"): Meaning(names=("start",)),
        ("kinds", "Person", "properties", "since"): Meaning(names=("hired", "start")),
        ("kinds", "Person"): Meaning(description="Who works here."),
    }

    assert names_said(meanings) == {"rpts_to": ("reports to", "boss"), "since": ("start", "hired")}
