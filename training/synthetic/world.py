"""The relations of the demonstration graph (examples/world) and how they are said."""

from dataclasses import replace

from training.synthetic.lexicon import Relation
from training.synthetic.wording import (
    Kind,
    Wording,
    noun_wording,
    role_wording,
    state_wording,
    verb_wording,
)

_COUNTRY, _CITY, _STATE, _AIRPORT = Kind("country"), Kind("city"), Kind("state"), Kind("airport")
_LANGUAGE, _CURRENCY, _ZONE = Kind("language"), Kind("currency"), Kind("time zone")


def _attribute(words: str, subject: Kind, *said: str, several: tuple[str, str] = ("", "")) -> Relation:
    wording = noun_wording(words, subject, Kind(words))
    return _relation(words, subject, Kind(words), _first(wording, said, several))


def _relation(words: str, subject: Kind, object_: Kind, wording: Wording) -> Relation:
    return Relation(words, subject, object_, "place", "place", wording)


def _first(wording: Wording, one: tuple[str, ...], several: tuple[str, str]) -> Wording:
    """Put special sentences before the general ones; `several`: for several objects, for several subjects."""
    objects, subjects = several
    return replace(
        wording,
        one=(*one, *wording.one),
        objects=(objects, *wording.objects) if objects else wording.objects,
        subjects=(subjects, *wording.subjects) if subjects else wording.subjects,
    )


WORLD: dict[str, Relation] = {
    "airport_in": _relation("airport in", _AIRPORT, _COUNTRY, _first(
        state_wording("is", "located", "in", _AIRPORT, _COUNTRY), ("{s} is an airport in {o}.",),
        ("", "{s} are airports in {o}."))),
    "area_km2": _attribute("area", _COUNTRY, "{s} has an area of {o} square kilometres."),
    "borders": _relation("borders", _COUNTRY, _COUNTRY, verb_wording("borders", "border", _COUNTRY, _COUNTRY)),
    "calling_code": _attribute("calling code", _COUNTRY),
    "capital": _attribute("capital", _COUNTRY),
    "continent": _attribute("continent", _COUNTRY, "{s} is on the continent of {o}.",
                            several=("", "{s} are on the continent of {o}.")),
    "currency": _attribute("currency", _COUNTRY),
    "currency_symbol": _attribute("symbol", _CURRENCY, "The symbol of the currency {s} is {o}."),
    "demonym": _attribute("demonym", _COUNTRY, "The people of {s} are called {o}.",
                          several=("The people of {s} are called {o}.", "")),
    "drives_on_side": _attribute("driving side", _COUNTRY, "Cars drive on the {o} in {s}.",
                                 several=("", "Cars drive on the {o} in {s}.")),
    "elevation_ft": _attribute("elevation", _AIRPORT, "{s} lies {o} feet above sea level."),
    "iata_code": _attribute("IATA code", _AIRPORT),
    "in_state": _relation("in state", _CITY, _STATE, _first(
        state_wording("is", "located", "in", _CITY, _STATE), ("{s} is in the state of {o}.",),
        ("", "{s} are in the state of {o}."))),
    "internet_domain": _attribute("internet domain", _COUNTRY),
    "largest_city": _attribute("largest city", _COUNTRY),
    "located_in": _relation("located in", _CITY, _COUNTRY, state_wording("is", "located", "in", _CITY, _COUNTRY)),
    "member_of": _relation("member of", _COUNTRY, Kind("organisation"),
                           role_wording("member", _COUNTRY, Kind("organisation"))),
    "official_language": _attribute("official language", _COUNTRY),
    "population": _attribute("population", _CITY, "{s} has a population of {o}.",
                             several=("", "{s} have a population of {o}.")),
    "serves": _relation("serves", _AIRPORT, _CITY, verb_wording("serves", "serve", _AIRPORT, _CITY)),
    "state_of": _relation("state of", _STATE, _COUNTRY, role_wording("state", _STATE, _COUNTRY)),
    "subregion": _attribute("subregion", _COUNTRY, "{s} is in {o}.", several=("", "{s} are in {o}.")),
    "territory_of": _relation("territory of", _COUNTRY, _COUNTRY, role_wording("territory", _COUNTRY, _COUNTRY)),
    "time_zone": _attribute("time zone", _CITY),
    "utc_offset": _attribute("UTC offset", _ZONE),
    "written_in": _relation("written in", _LANGUAGE, Kind("script"),
                            state_wording("is", "written", "in", _LANGUAGE, Kind("script"))),
}  # fmt: skip
