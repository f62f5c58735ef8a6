"""Define invented schemas: the kinds of entities of a domain and the relations between them.

A domain lists its kinds as `noun=style of names`. After the bar follow its relations, in the notation that
`training.synthetic.relations.parse_relation` reads.
"""

import random
from functools import cache

from training.synthetic.relations import Relation, parse_relation
from training.synthetic.wording import EntityKind, word_relation

_DOMAINS = """
film=title person=person actor=person studio=company genre=term year=year place=place award=title language=language
rating=number |
film by directed/directed person; film by wrote/written person; film by produced/produced studio;
film by edited/edited person; film noun genre genre; film noun release_year year;
film noun original_language language; film noun lead_actor actor; film noun running_time rating; film noun tag genre;
film noun rating rating; film noun cast_member actor; film noun budget rating; film state was/filmed/in place;
film verb won/win award; actor verb appears_in/appear_in film; film by shot/shot person;
person state was/born/in place; person verb acted_in/act_in film; film verb stars/star actor;
film state was/released/in year

album=title song=title band=title singer=person label=company genre=term year=year instrument=term place=place |
album by recorded/recorded singer; song by performed/performed band; song by composed/composed singer;
album noun record_label label; band noun genre genre; band noun member singer; singer noun instrument instrument;
album noun producer singer; song noun album album; band state was/formed/in place; singer verb plays/play instrument;
singer role member band; band noun year_founded year; song state was/released/in year;
singer verb sings_in/sing_in band; album verb contains/contain song; song by sampled/sampled band

book=title author=person publisher=company character=person genre=term year=year language=language prize=title |
book by wrote/written author; book by published/published publisher; book by illustrated/illustrated author;
book by translated/translated author; book noun genre genre; book noun publication_year year;
book noun main_character character; book verb features/feature character; author verb won/win prize;
author verb influenced/influence author; book noun page_count year; book state is/written/in language;
character verb appears_in/appear_in book; book noun sequel book; book role sequel book

company=company founder=person executive=person product=product industry=term city=place year=year investor=company
price=number |
company by founded/founded founder; company by owned/owned company; company by acquired/acquired company;
company noun chief_executive executive; company state is/headquartered/in city; company state is/based/in city;
company noun industry industry; company verb makes/make product; company noun revenue price;
company noun subsidiary company; company noun founding_date year; company verb competes_with/compete_with company;
executive verb works_for/work_for company; executive verb manages/manage company; company verb sells/sell product;
company noun stock_symbol price; investor verb invests_in/invest_in company; company role supplier company;
product by designed/designed founder; company role subsidiary company; product by made/made company;
product noun price price; product noun category industry; product noun manufacturer company;
product verb requires/require product; product state is/compatible/with product; product noun launch_date year;
product noun warranty_period year

player=person team=team coach=person stadium=title league=code city=place position=term year=year number=number
country=place |
player verb plays_for/play_for team; team by coached/coached coach; team noun head_coach coach;
team noun home_stadium stadium; team verb plays_in/play_in league; player noun position position;
player noun shirt_number number; stadium state is/located/in city; player state was/drafted/by team;
player state was/born/in country; player noun nationality country; player noun height number;
stadium noun capacity number; team noun nickname stadium; league noun champion team;
player verb captains/captain team; coach verb trains/train player; player role captain team;
team verb defeated/defeat team; stadium state was/opened/in year

scientist=person university=institute field=term discovery=title award=title city=place year=year theory=title
student=person |
scientist verb works_at/work_at university; scientist verb studies/study field; scientist noun field_of_study field;
scientist noun doctoral_advisor scientist; scientist noun alma_mater university;
theory by proposed/proposed scientist; discovery by discovered/discovered scientist;
scientist verb received/receive award; university state is/located/in city; scientist noun date_of_birth year;
scientist role member university; student verb attends/attend university; university noun rector scientist;
scientist state was/educated/at university; scientist role advisor student; university noun motto discovery;
university noun student_count year; student state is/enrolled/in field; field verb includes/include field;
award state was/given/to scientist; award noun winner scientist

person=person town=place job=term date=date religion=Term team=team country=place |
person noun spouse person; person noun child person; person noun parent person; person noun sibling person;
person noun mother person; person noun father person; person role parent person; person role child person;
person state is/married/to person; person state was/born/in town; person verb lives_in/live_in town;
person noun date_of_birth date; person noun birth_date date; person noun place_of_birth town;
person noun occupation job; person noun profession job; person noun religion religion;
person state was/buried/in town; person verb knows/know person; person verb supports/support team;
person noun citizenship country; person noun cause_of_death job; person verb succeeded/succeed person;
person noun nickname team; person role cousin person

town=place river=place region=place mountain=place mayor=person number=number lake=place road=code bridge=title
zone=code |
town state is/located/in region; town noun mayor mayor; town noun population number; region noun capital town;
region verb borders/border region; river verb flows_through/flow_through region; river noun length number;
river noun tributary river; mountain noun elevation number; town state is/twinned/with town; town role part region;
road verb connects/connect town; bridge verb crosses/cross river; town noun postal_code zone;
region noun governor mayor; lake state is/situated/in region; town noun area number; region noun largest_town town;
mountain state is/found/in region; region verb contains/contain lake; bridge state was/built/in number;
town by founded/founded mayor; region noun time_zone zone; town noun twin_town town; river role tributary river;
region noun highest_point mountain; town verb overlooks/overlook lake

drug=product disease=Term symptom=term gene=code company=company organ=term plant=Term |
drug verb treats/treat disease; disease verb causes/cause symptom; disease noun symptom symptom;
drug noun side_effect symptom; drug verb interacts_with/interact_with drug; gene state is/associated/with disease;
drug by manufactured/manufactured company; disease verb affects/affect organ; drug noun active_ingredient plant;
disease noun risk_factor symptom; gene verb encodes/encode gene; drug noun dosage gene;
drug state is/derived/from plant; disease state is/transmitted/by plant; drug verb targets/target gene;
disease noun treatment drug; plant verb contains/contain symptom; drug role inhibitor gene;
disease role complication disease

package=code language=language developer=person license=code system=product company=company year=date service=product
team=team |
package verb depends_on/depend_on package; package state is/written/in language; package noun maintainer developer;
package noun license license; system by developed/developed company; system verb runs_on/run_on system;
language by created/created developer; service verb calls/call service; package noun latest_version license;
service state is/owned/by team; service state is/deployed/on system; developer verb reviews/review package;
system noun successor system; package verb supports/support system; service verb uses/use package;
developer role member team; system noun release_date year; language by influenced/influenced language;
service noun owner team; package noun download_count year

dish=Term ingredient=term country=place chef=person restaurant=company wine=product region=place |
dish noun ingredient ingredient; dish verb contains/contain ingredient; dish noun country_of_origin country;
dish by invented/invented chef; chef verb cooks_at/cook_at restaurant; restaurant verb serves/serve dish;
restaurant noun signature_dish dish; wine state is/produced/in region; wine noun grape_variety ingredient;
restaurant noun owner chef; dish state is/served/with wine; restaurant state is/located/in region;
restaurant noun opening_hour region; dish role kind dish; dish noun calorie_count region;
chef verb teaches/teach chef

painting=title artist=person museum=institute movement=Term material=term year=year city=place king=person war=title |
painting by painted/painted artist; painting state is/displayed/in museum; artist noun art_movement movement;
painting noun material material; museum noun director artist; painting noun year_of_creation year;
artist by taught/taught artist; museum state was/built/by king; king noun successor king; king noun predecessor king;
war verb ended_in/end_in year; war noun commander king; king verb ruled/rule city; king state was/crowned/in city;
museum noun collection painting; war state was/fought/in city; king role ruler city;
painting verb depicts/depict king

species=Term genus=Term habitat=term predator=Term zoo=institute element=Term symbol=code number=number planet=place
moon=place star=place |
species noun genus genus; species verb eats/eat species; species verb lives_in/live_in habitat;
species noun habitat habitat; species noun predator predator; zoo verb keeps/keep species;
element noun symbol symbol; element noun atomic_number number; moon verb orbits/orbit planet; planet noun moon moon;
planet noun diameter number; moon by discovered/discovered zoo; star noun constellation genus;
planet verb orbits/orbit star; species noun lifespan number; element noun melting_point number;
species role subspecies species

episode=title series=title character=person game=title developer=company platform=product channel=company level=title
weapon=term |
episode noun series series; episode noun air_date platform; series state is/broadcast/on channel;
series noun creator character; game by developed/developed developer; game noun platform platform;
game noun genre weapon; character verb wields/wield weapon; character noun enemy character;
character noun ally character; game verb features/feature character; series verb follows/follow series;
game noun publisher developer; character by voiced/voiced character; episode role part series; game role remake game;
level noun boss character; series noun season_count platform; character verb belongs_to/belong_to series;
channel noun headquarters_location level

flight=code airport=place airline=company ship=title port=place captain=person model=product line=code station=place |
flight verb departs_from/depart_from airport; flight verb arrives_at/arrive_at airport; airline noun hub airport;
airline verb operates/operate flight; ship noun home_port port; ship by commanded/commanded captain;
ship state was/launched/from port; model by built/built airline; line verb stops_at/stop_at station;
station state is/served/by line; station noun opening_date line; airline noun fleet_size line;
airport noun runway_count line; model noun top_speed line; model noun engine model;
station state is/connected/to station; ship noun tonnage line

court=institute judge=person case=title law=title party=company minister=person country=place election=title
date=date |
case state was/decided/by judge; judge verb sits_on/sit_on court; law by signed/signed minister;
law verb amends/amend law; minister verb leads/lead party; minister role leader party;
country noun prime_minister minister; country noun ruling_party party; election by won/won party;
election noun turnout date; case verb cites/cite case; law state was/passed/in date;
country verb recognises/recognise country; country noun national_anthem law; country noun official_name law;
minister noun term_of_office date; country noun ally country; court noun seat country
"""


def _words(text: str) -> list[str]:
    return text.split()


_MODIFIERS = _words("""
main former first second chief current annual official local global primary alternative estimated total preferred
average nearest oldest regional technical legal public internal registered common historic
""")
_HEADS = _words("""
name value owner manager supplier address source type status category score level limit partner sponsor editor
representative office branch colour weight size speed format target version contact region route department customer
""")
_ATTRIBUTE_STYLES = ["person", "place", "company", "number", "term", "code", "year", "product", "title"]


@cache
def domains() -> tuple[tuple[Relation, ...], ...]:
    """Return the relations of each domain."""
    return tuple(_domain(block) for block in _DOMAINS.strip().split("\n\n"))


def invented_attribute(like: Relation, random_: random.Random) -> Relation:
    """Invent a relation with a compound name, such as `estimated_weight`, for the subjects of another relation."""
    noun = f"{random_.choice(_MODIFIERS)} {random_.choice(_HEADS)}"
    object_ = EntityKind(noun, random_.choice(_ATTRIBUTE_STYLES))
    return Relation(noun, like.subject, object_, word_relation("noun", [noun], like.subject, object_))


def _domain(block: str) -> tuple[Relation, ...]:
    kinds, relations = block.split("|")
    name_styles = dict(item.split("=") for item in kinds.split())
    return tuple(parse_relation(relation, name_styles) for relation in relations.split(";"))
