"""List the English words that any text may use, and the words that may replace one another.

The lists are closed, and cover general English rather than a particular graph. A word belongs in `NEUTRAL` only if it
adds no claim to the names and relations beside it. The lists deliberately omit words of time, degree, exclusion, and
doubt (`until`, `only`, `most`, `former`, `may`), and words that address the reader.
"""

from shared.text import word_set

FUNCTION_WORDS = word_set("""
a an the this that these those each every all both any some several many various such same other another one ones own
it its itself they them their theirs themselves he him his himself she her hers herself who whom whose which what where
when how there here
is are was were be been being has have having had does do did can
about across along among amongst around as at between by during for from in inside into near of on onto through
throughout to toward towards upon via with within per
and or while where also too then because since so plus well together both respectively namely including
additionally furthermore moreover besides further finally lastly firstly secondly thirdly
likewise similarly overall specifically particularly collectively altogether accordingly currently presently officially
yes in etc eg ie
""")
_REPORTING = word_set("""
according answer answers answered question questions fact facts evidence information data knowledge graph source
sources given provided based following follows followed listed follow list lists know knows name names named call
calls called known title titled refer refers referred mention mentions mentioned state states stated say says said
show shows shown indicate indicates indicated identify identifies identified describe describes described include
includes included consist consists consisting comprise comprises comprising total number numbers result results entity
entities item items thing things entry entries value values kind kinds type types category example examples case term
terms located situated found belongs belong belonging associated corresponds corresponding correspond related relates
linked connected
""")
_KINDS = word_set("""
person people place places area areas region regions location locations country countries nation nations state city
cities town towns village villages island islands continent organisation organisations organization organizations
company companies institution institutions group groups team teams band bands film films movie movies book books novel
novels song songs album albums series product products event events object objects language languages species gene
genes protein proteins compound compounds drug drugs disease diseases code symbol sign unit units date year years day
month time
""")
NEUTRAL = FUNCTION_WORDS | _REPORTING | _KINDS

NEGATIONS = word_set("""
no not never none neither nor nobody nothing nowhere without cannot cant dont doesnt didnt isnt arent wasnt werent hasnt
havent hadnt wont wouldnt couldnt shouldnt mustnt aint non hardly barely scarcely rarely seldom false falsely untrue
incorrect incorrectly wrong wrongly mistaken fake denied denies deny refuted contrary except excluding exclude
excludes excluded unlike instead lack lacks lacking absent fails failed cease ceased despite however but
nicht kein keine keinen niemals nie ne pas jamais aucun niet geen nunca nenhum ninguno não не нет ни
不 没 沒 非 无 無 未 否 莫 勿
""")
"""Words that reverse a claim or doubt it. Only the evidence can support them, never the question."""

SECOND_PERSON = {"i": "you", "me": "you", "my": "your", "mine": "yours", "we": "you", "us": "you", "our": "your"}
"""The second person by the first: how an answer addresses the user who says `I`."""

_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}

UNSPACED_PARTICLES = frozenset("的是在和与與及为為有了之也以于於到这這那个個们們のはがをにともです")

_SYNONYM_GROUPS = """\
km kilometre kilometres kilometer kilometers | km2 square kilometres kilometers | m metre metres meter meters
ft foot feet | cm centimetre centimetres | kg kilogram kilograms | mi mile miles | min minute minutes
elevation altitude elevated lies height high tall above up sea level feet metres
ally allies allied friend friends
area size surface extent covers square
population inhabitants inhabited people residents live lives
capital seat government governed
border borders bordered bordering neighbour neighbours neighbouring neighbor neighbors adjacent share shares frontier
currency currencies money coin pay paid pays payment spend tender use uses used
symbol sign abbreviated abbreviation written
language languages speak speaks spoken speaking speakers tongue linguistic use uses used
demonym people inhabitants citizens nationals called
drive drives driven driving drivers cars car vehicles traffic road roads side hand
time timezone zone zones clock clocks offset hours hour utc gmt
calling code dial dialling dialing prefix phone telephone number
internet domain top level tld web suffix
airport airports airfield serve serves served flights fly
territory territories dependency dependencies overseas administered belongs
subregion region part
located location situated lies lying part
member members membership belong belongs belonging join joined joins
born birth birthplace birthday birthdate native
died death dead deathplace passed away
spouse married marry marries marriage wife husband partner wed
child children son sons daughter daughters offspring
parent parents father fathers mother mothers
sibling siblings brother brothers sister sisters
direct directs directed director directors directing filmmaker filmmakers
write writes wrote written writer writers author authors authored penned screenplay screenwriter
star stars starred starring act acts acted acting actor actors actress actresses cast role roles play plays played \
appear appears appeared appearing feature features featured featuring
release released releases came come out premiered premiere year date published publication
produce produced produces producer producers production made
compose composed composer composers music score
perform performed performs performer sing sings sang sung singer singers recorded recording artist
genre genres style category falls under
found founded founder founders founding establish established started set created
headquarters headquartered based
employ employs employed employer employers work works worked working job
occupation profession job works worked
owner owners own owns owned
make makes made maker manufacture manufactured manufactures manufacturer produced produces
lead leads led leader leaders head heads headed chief executive officer ceo
education educated studied study studies attended attends alma mater graduated graduate school university
nationality citizen citizenship national
award awards awarded won win wins winner winners received receive prize
encode encodes encoded encoding codes
treat treats treated treatment treating use used uses
cause causes caused causing
inhibit inhibits inhibited inhibitor target targets targeted targeting
interact interacts interaction interactions binds bind bound binding
symptom symptoms sign signs
play plays played playing player players
coach coaches coached trainer manager managed manages
begin begins began begun start starts started starting
end ends ended ending
rate rated rates rating ratings
tag tags tagged labelled
genus genera | alumnus alumna alumni | medium media | criterion criteria | index indices | phenomenon phenomena
man men | woman women | leaf leaves | wife wives | life lives | half halves | mouse mice | tooth teeth | nucleus nuclei
flow flows flowing river rivers runs
"""

SYNONYMS: dict[str, frozenset[str]] = {}
"""Words for the same thing, by each of them. A text may use one where the source has another.

A group never contains a word and its inverse, such as child and parent, which would let a text reverse a relation.
"""
for _group in map(word_set, _SYNONYM_GROUPS.replace("|", "\n").strip().splitlines()):
    for _word in _group:
        SYNONYMS[_word] = SYNONYMS.get(_word, frozenset()) | _group
