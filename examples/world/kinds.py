"""Derive the kind of each entity of the demo graph from the relations in which it takes part."""

from collections.abc import Iterable

from examples.world.graph import KIND, Row

_SUBJECTS = {
    "airport_in": "Airport",
    "continent": "Country",
    "located_in": "City",
    "state_of": "State",
    "utc_offset": "TimeZone",
    "written_in": "Language",
}
_OBJECTS = {
    "continent": "Continent",
    "currency": "Currency",
    "demonym": "Demonym",
    "member_of": "Organisation",
    "official_language": "Language",
    "subregion": "Subregion",
    "time_zone": "TimeZone",
    "written_in": "Script",
}


def kind_rows(rows: Iterable[Row]) -> list[Row]:
    """Return a row for each kind of each entity; numbers, codes, and symbols have no kind."""
    ends = [end for s, relation, o in rows for end in ((s, _SUBJECTS.get(relation)), (o, _OBJECTS.get(relation)))]
    return sorted({(entity, KIND, kind) for entity, kind in ends if kind is not None})
