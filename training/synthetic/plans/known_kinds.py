"""Write what known domains call kinds with certain relations: `python -m training.synthetic.plans.known_kinds`.

Serving names inferred kinds by this table, and does not need the domains themselves.
"""

from collections.abc import Mapping

from graph.store import INVERSE
from services.retriever.plans.schema.kind_names import KNOWN_KINDS_FILE
from training.synthetic.plans.own_relations import type_texts
from training.synthetic.plans.specs import domains


def known_kinds() -> Mapping[str, frozenset[str]]:
    """Map the noun of each known kind to the relations and properties that it has, in words."""
    found: dict[str, set[str]] = {}
    for domain in domains():
        for name, kind in domain.kinds.items():
            steps = {one.key.replace("_", " ") for one in kind.properties}
            steps |= {said.singular for one in kind.properties for said in one.words.nouns}
            for relation in domain.relations:
                if relation.source == name:
                    steps.update(type_texts(relation.words))
                    steps.update(f"{INVERSE}{text}" for text in type_texts(relation.words.flipped()))
                if relation.target == name:
                    steps.update(type_texts(relation.words.flipped()))
                    steps.update(f"{INVERSE}{text}" for text in type_texts(relation.words))
            found.setdefault(kind.words.nouns[0].singular, set()).update(steps)
    return {name: frozenset(steps) for name, steps in found.items()}


def main() -> None:
    """Write the table."""
    lines = [f'"{name}" = "{", ".join(sorted(steps))}"' for name, steps in sorted(known_kinds().items())]
    head = "# The relations and properties of known kinds; written by training/synthetic/plans/known_kinds.py."
    KNOWN_KINDS_FILE.write_text("\n".join([head, "", *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
