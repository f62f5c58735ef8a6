"""Airports."""

from __future__ import annotations

import math
import re

import airportsdata

from examples.world.cities import City
from examples.world.countries import World
from examples.world.store import clean, fold


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """The distance of two places on the globe."""
    p1, p2 = math.radians(lat1), math.radians(lat2)
    half = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 12742 * math.asin(math.sqrt(half))


def city_index(cities: list[City]) -> dict[tuple[str, str], list[City]]:
    """Cities by country and folded name, their GeoNames name and other names included."""
    index: dict[tuple[str, str], list[City]] = {}
    for city in cities:
        names = {fold(n).lower() for n in [city.source, city.name.split(",")[0], *city.others] if len(n) > 3}
        for name in names:
            index.setdefault((city.country, name), []).append(city)
    return index


def served_city(airport: airportsdata.Airport, index: dict[tuple[str, str], list[City]]) -> City | None:
    """The city of the graph that an airport names, if it is near."""
    plain = re.sub(r"( International)? Airport$", "", clean(airport["name"]))
    names = [fold(clean(name)).lower() for name in (airport["city"], plain)]
    found = [city for name in names for city in index.get((airport["country"], name), [])]
    near = [c for c in found if distance_km(c.lat, c.lon, airport["lat"], airport["lon"]) < 90]
    return max(near, key=lambda c: c.population) if near else None


def add_airports(world: World, cities: list[City]) -> None:
    """Airports with an IATA code that serve a city of the graph or call themselves international."""
    index = city_index(cities)
    taken_codes = {other for _, other in world.store.aliases} | world.store.names
    for code, airport in sorted(airportsdata.load("IATA").items()):
        city = served_city(airport, index)
        serves = world.words["airport_city"].get(code, [city.name] if city else [])
        if airport["country"] not in world.names or "under construction" in airport["name"]:
            continue
        if not serves and "International" not in airport["name"]:
            continue
        name = airport_name(world, clean(airport["name"]), clean(airport["city"]), code)
        if not name:
            continue
        world.store.add(name, "airport_in", world.names[airport["country"]])
        if airport["elevation"]:
            world.store.add(name, "elevation_ft", str(round(airport["elevation"])))
        for served in serves:
            if served not in world.store.names:
                raise ValueError(f"no city {served} for the airport {code}")
            world.store.add(name, "serves", served)
        if code.lower() not in world.stop_codes and code not in taken_codes and world.store.free(code):
            world.store.take(code)
            world.store.add(name, "iata_code", code)


def airport_name(world: World, name: str, city: str, code: str) -> str:
    """A free name for an airport, with its short form as an alias."""
    name = clean(re.sub(r"\([^)]*\)", " ", name))
    if not re.search(r"airport|airfield|air ?base|aerodrome|heliport", name, re.IGNORECASE):
        name = f"{name} Airport"
    options = [name, f"{city} {name}" if city else name, f"{name} ({code})"]
    free = next((option for option in options if world.store.free(option)), "")
    if free:
        world.store.take(free)
        short = free.removesuffix(" International Airport")
        common = short.lower() in world.words["airport_word"]["stop"].split()
        if short != free and len(short) > 3 and not common:
            world.store.alias(free, short)
            world.store.alias(free, f"{short} Airport")
        for other in world.words["airport_alias"].get(code, []):
            world.store.alias(free, other)
    return free
