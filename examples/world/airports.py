"""Add airports to the demo graph."""

import math
import re

import airportsdata

from examples.world.cities import City
from examples.world.countries import NAMES, STOP_CODES, World
from examples.world.graph import clean, key


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Return the great-circle distance between two points in kilometres."""
    p1, p2 = math.radians(lat1), math.radians(lat2)
    half = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 12742 * math.asin(math.sqrt(half))


def city_index(cities: list[City]) -> dict[tuple[str, str], list[City]]:
    """Index the cities by country and name, including alternative names."""
    index: dict[tuple[str, str], list[City]] = {}
    for city in cities:
        names = {key(n) for n in [city.source, city.name.split(",")[0], *city.others] if len(n) > 3}
        for name in names:
            index.setdefault((city.country, name), []).append(city)
    return index


def served_city(airport: airportsdata.Airport, index: dict[tuple[str, str], list[City]]) -> City | None:
    """Return the city in the graph that an airport's data names, unless the city is too far away."""
    plain = re.sub(r"( International)? Airport$", "", clean(airport["name"]))
    names = [key(clean(name)) for name in (airport["city"], plain)]
    found = [city for name in names for city in index.get((airport["country"], name), [])]
    near = [c for c in found if distance_km(c.lat, c.lon, airport["lat"], airport["lon"]) < 90]
    return max(near, key=lambda c: c.population) if near else None


def add_airports(world: World, cities: list[City]) -> None:
    """Add the airports with an IATA code that serve a city in the graph or have "International" in their name."""
    index = city_index(cities)
    taken_codes = {other for _, other in world.graph.aliases} | world.graph.names
    for code, airport in sorted(airportsdata.load("IATA").items()):
        city = served_city(airport, index)
        serves = NAMES["airport_city"].get(code, [city.name] if city else [])
        if airport["country"] not in world.names or "under construction" in airport["name"]:
            continue
        if not serves and "International" not in airport["name"]:
            continue
        name = airport_name(world, clean(airport["name"]), clean(airport["city"]), code)
        if not name:
            continue
        world.graph.add(name, "airport_in", world.names[airport["country"]])
        if airport["elevation"]:
            world.graph.add(name, "elevation_ft", str(round(airport["elevation"])))
        for served in serves:
            if served not in world.graph.names:
                raise ValueError(f"the airport {code} serves {served}, which is not in the graph")
            world.graph.add(name, "serves", served)
        if code.lower() not in STOP_CODES and code not in taken_codes and world.graph.free(code):
            world.graph.take(code)
            world.graph.add(name, "iata_code", code)


def airport_name(world: World, name: str, city: str, code: str) -> str:
    """Reserve a unique name for an airport, and add its short form as an alias; return "" if no name is free."""
    name = clean(re.sub(r"\([^)]*\)", " ", name))
    if not re.search(r"airport|airfield|air ?base|aerodrome|heliport", name, re.IGNORECASE):
        name = f"{name} Airport"
    options = [name, f"{city} {name}" if city else name, f"{name} ({code})"]
    if free := world.graph.take_first(options):
        short = free.removesuffix(" International Airport")
        common = short.lower() in NAMES["airport_word"]["stop"].split()
        if short != free and len(short) > 3 and not common:
            world.graph.alias(free, short)
            world.graph.alias(free, f"{short} Airport")
        for other in NAMES["airport_alias"].get(code, []):
            world.graph.alias(free, other)
    return free
