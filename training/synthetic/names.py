"""Invent entity names of every style, so that an adapter learns to copy names, not to recall them."""

import random
from collections.abc import Callable


def _listed(text: str, separator: str | None = None) -> list[str]:
    return text.split(separator)


_FIRST = _listed("""
Anna Omar Priya Jürgen Zoë Tomás Mei Ivan Fatima Kofi Søren Lucía Hiro Amélie Pavel Chidi Ingrid Raúl Noor Gwen
Łukasz Thandi Diego Eszter Björn Leilani Marek Aoife Samir Yuki Beatriz Håkon Nia Viktor Célia Anton Maeve Ravi Elif
John Mary Robert Linda James Susan Peter Grace Alan Ruth Frank Helen Carl Judith Paul Nancy Mark Diane
""")
_LAST = _listed("""
Okafor Lindqvist Nakamura Ferreira O'Connor Novák Haddad Petrov Müller García Dubois Kowalski Singh Tran Andersson
Rossi Çelik Nguyen van-Dijk MacLeod Szabó Ibrahim Castro Yamamoto Iyer Bennett Hughes Whitfield Moreau Østergaard
Delgado Fischer Abebe Karlsson Peña Stone Harrow Blackwood Finch Mercer Vance Quill Thorne Ashby Lowell Pryce Rourke
Keane Smith Jones Brown Wilson Clark Walker Young King Wright Hill Green Baker Adams Carter Parker Cox Ward Price
Reed Hunt
""")
_ADJECTIVES = _listed("""
Silent Broken Golden Last Crimson Hidden Little Distant Wild Cold Electric Forgotten Second Burning Blue Endless
Secret Northern Strange Quiet Perfect Lost White Iron Paper Savage Lonely Gentle Bitter Great Black Hollow Early
""")
_NOUNS = _listed("""
River Garden Empire Winter Promise Mirror Road Night Island Machine Letter Harbour Kingdom Dream Forest Stranger Hour
Sky Bridge Song Witness Game Summer Tower Mountain Storm House Shadow Light Train Circle Heart Ocean Fire Voyage
Dancer Soldier Daughter Wolf Fox Crown Window Memory Clock Desert Planet Signal Orchard Library Compass Lantern
""")
_TERMS = _listed("""
jazz opera thriller satire poetry folk comedy drama horror western fantasy time-travel coming-of-age robotics
linguistics botany biology economics cryptography chess fencing sailing archery cycling rowing ceramics oil-painting
rye barley saffron basil honey copper zinc tin quartz granite basalt marble limestone fever cough fatigue nausea
insomnia machine-learning open-source peer-review slow-cooking street-food night-market black-and-white low-budget
friendship revenge adoption memory islands winter dragons war-reporting migration epilepsy asthma diabetes malaria
""")
_PREFIXES = _listed(
    "Bal Kor Ven Mar Tal San Dor Lis Bre Ost Vil Har Nor Que Zam Ar El Gar Mon Pel Riv Sol Tor Ur Wex Ha"
)
_MIDDLES = ["", "", "", *_listed("a e i o an en ir or ul á ö ñe ão ê ü is ta lo")]
_SUFFIXES = _listed(
    "ia land burg ville stad mond ford grad ton dale ova ica ona ar os eth mere by wick nesse polis gora pur"
)
_COMPANY = _listed("Inc.|Ltd|GmbH|Group|& Sons|Systems|Labs|Industries|Holdings|S.A.|Works|AG", "|")
_INSTITUTE = _listed("University of {}|{} Institute of Technology|{} College|{} Academy|Museum of {}|{} Hospital", "|")
_TEAMS = _listed("FC {}|{} United|{} Rovers|{} Hawks|Real {}|{} Tigers|{} City|{} 1899", "|")
_PAREN = _listed("film|novel|band|river|province|song|disambiguation|software|1987|2004 film", "|")
_OTHER_SCRIPTS = _listed("東京|Москва|Ελλάδα|القاهرة|서울|München-Süd|Đà Nẵng|São Luís|Ağrı|Šibenik", "|")
_MONTHS = _listed("January February March April May June July August September October November December")


def invent_name(style: str, random_: random.Random) -> str:
    """Invent a name in a style: person, place, title, company, term, year, number, date, code, product, ..."""
    return _STYLES[style](random_)


def similar_name(name: str, random_: random.Random) -> str:
    """Invent a name that is easily confused with another: `Luxembourg City` for `Luxembourg`."""
    first, _, rest = name.partition(" ")
    forms = [f"{name} City", f"{name} (state)", f"{name} II", f"New {name}", f"{name}, {_place_word(random_)}"]
    if rest:
        forms += [f"{first} {random_.choice(_NOUNS)}", f"{random_.choice(_ADJECTIVES)} {rest}"] * 2
    return random_.choice(forms)


def styles() -> tuple[str, ...]:
    """Return the styles that `invent_name` knows."""
    return tuple(_STYLES)


def _person(r: random.Random) -> str:
    first, last = r.choice(_FIRST), r.choice(_LAST)
    pattern = r.random()
    if pattern < 0.08:
        return f"{first} {r.choice('ABCDEFGHJKLMNPRSTW')}. {last}"
    if pattern < 0.12:
        return f"{last}, {first}"
    if pattern < 0.15:
        return f"{first} {last} Jr."
    if pattern < 0.19:
        return f"{first} {last}-{r.choice(_LAST)}"
    return f"{first} {last}"


def _place(r: random.Random) -> str:
    base = r.choice(_PREFIXES) + r.choice(_MIDDLES) + r.choice(_SUFFIXES)
    pattern = r.random()
    if pattern < 0.06:
        return f"{base} and {_place_word(r)}"
    if pattern < 0.12:
        return f"{base}, {_place_word(r)}"
    if pattern < 0.17:
        return f"{r.choice(['North', 'New', 'Saint', 'Port', 'Côte', 'El', 'São', 'Upper'])} {base}"
    if pattern < 0.21:
        return f"{base} {r.choice(['Islands', 'Region', 'Bay', 'County', '(state)', '(province)'])}"
    if pattern < 0.24:
        return f"{base}-{_place_word(r).lower()}"
    return r.choice(_OTHER_SCRIPTS) if pattern > 0.97 else base


def _place_word(r: random.Random) -> str:
    return r.choice(_PREFIXES) + r.choice(_SUFFIXES)


def _title(r: random.Random) -> str:
    adjective, noun, other = r.choice(_ADJECTIVES), r.choice(_NOUNS), r.choice(_NOUNS)
    forms = [
        f"The {adjective} {noun}", f"{adjective} {noun}", noun, f"The {noun} of {_place_word(r)}",
        f"{noun} and {other}", f"The {noun}, the {other} and the {r.choice(_NOUNS)}",
        f"{noun} {r.choice(['II', '2', '3', 'III'])}",
        f"{noun}: The {adjective} {other}", f"{noun} ({r.choice(_PAREN)})", f"A {noun} for {r.choice(_FIRST)}",
        f"{r.choice(_FIRST)}'s {noun}", f"{r.randint(2, 101)} {noun}s", f"{adjective}, {r.choice(_ADJECTIVES)}",
        f"Who Heard the {noun}?", f"{noun} in {r.choice(_MONTHS)}", f"The {adjective} {noun} of the {other}",
    ]  # fmt: skip
    return r.choice(forms)


def _company(r: random.Random) -> str:
    base = r.choice(
        [r.choice(_LAST), _place_word(r), r.choice(_NOUNS), r.choice(_PREFIXES) + r.choice(["tech", "ix", "ora"])]
    )
    return r.choice(
        [f"{base} {r.choice(_COMPANY)}", f"{base} & {r.choice(_LAST)}", base + r.choice(["soft", "Net", ""])]
    )


def _code(r: random.Random) -> str:
    letters = "".join(r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(r.randint(2, 4)))
    return r.choice(
        [letters, f"{letters}-{r.randint(1, 999)}", f"{letters}{r.randint(10, 9999)}", f"Q{r.randint(100, 99999)}"]
    )


def _number(r: random.Random) -> str:
    value = r.randint(1, 10 ** r.randint(1, 8))
    return r.choice([str(value), str(value), f"{value:,}", f"{value / 10:.1f}", f"-{value % 100}"])


def _product(r: random.Random) -> str:
    base = r.choice([r.choice(_NOUNS), r.choice(_ADJECTIVES), _place_word(r)])
    return r.choice(
        [f"{base} {r.randint(1, 900)}", f"{base} Pro", f"{base} {_code(r)}", f"{base}{r.choice(['X', 'One', 'Go'])}"]
    )


_STYLES: dict[str, Callable[[random.Random], str]] = {
    "person": _person,
    "place": _place,
    "title": _title,
    "company": _company,
    "institute": lambda r: r.choice(_INSTITUTE).format(_place_word(r)),
    "team": lambda r: r.choice(_TEAMS).format(_place_word(r)),
    "term": lambda r: r.choice(_TERMS).replace("-", r.choice([" ", "-", " "])),
    "Term": lambda r: r.choice(_TERMS).replace("-", " ").capitalize(),
    "language": lambda r: r.choice(_PREFIXES) + r.choice(["ish", "ese", "ian", "ic", "i", "an", "u"]),
    "year": lambda r: str(r.randint(1850, 2030)),
    "number": _number,
    "date": lambda r: r.choice([f"{r.randint(1, 28)} {r.choice(_MONTHS)} {r.randint(1700, 2025)}",
                                f"{r.randint(1700, 2025)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}"]),
    "code": _code,
    "product": _product,
}  # fmt: skip
