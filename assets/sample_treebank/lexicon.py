"""The words of the sample treebank: every stem and class was written by hand for this project.

Tables are plain text, one entry a line, so that adding a word means adding a line.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Noun:
    """A common noun: lemma, gender (m, f, n), genitive singular, nominative plural, class."""

    lemma: str
    gender: str
    genitive: str
    plural: str
    kind: str


@dataclass(frozen=True)
class Adjective:
    """An adjective: lemma, stem before endings, comparative, and the noun classes it describes."""

    lemma: str
    stem: str
    comparative: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Verb:
    """A verb with its principal parts and its frame.

    `frame` is one of: i (no object), t (accusative), d (dative), dt (dative and accusative),
    p (prepositional object), r (reflexive with prepositional object), l (place), m (goal).
    `preposition` is "preposition+case" for p and r. `particle` is the separable prefix or "".
    """

    particle: str
    base: str
    third: str
    past: str
    participle: str
    auxiliary: str
    frame: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    preposition: str

    @property
    def lemma(self) -> str:
        """The infinitive, prefix included."""
        return self.particle + self.base


def _rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


NOUNS = [
    Noun(*row)
    for row in _rows("""
Lehrer m Lehrers Lehrer person
Lehrerin f Lehrerin Lehrerinnen person
Arzt m Arztes Ärzte person
Ärztin f Ärztin Ärztinnen person
Mann m Mannes Männer person
Frau f Frau Frauen person
Kind n Kindes Kinder person
Mädchen n Mädchens Mädchen person
Student m Studenten Studenten person
Studentin f Studentin Studentinnen person
Nachbar m Nachbarn Nachbarn person
Nachbarin f Nachbarin Nachbarinnen person
Bauer m Bauern Bauern person
Freund m Freundes Freunde person
Freundin f Freundin Freundinnen person
Vater m Vaters Väter person
Mutter f Mutter Mütter person
Tochter f Tochter Töchter person
Sohn m Sohnes Söhne person
Dichter m Dichters Dichter person
Gärtner m Gärtners Gärtner person
Hund m Hundes Hunde animal
Katze f Katze Katzen animal
Pferd n Pferdes Pferde animal
Vogel m Vogels Vögel animal
Kuh f Kuh Kühe animal
Buch n Buches Bücher text
Brief m Briefes Briefe text
Zeitung f Zeitung Zeitungen text
Gedicht n Gedichtes Gedichte text
Roman m Romans Romane text
Bericht m Berichtes Berichte text
Geschichte f Geschichte Geschichten text
Tisch m Tisches Tische thing
Stuhl m Stuhles Stühle thing
Lampe f Lampe Lampen thing
Uhr f Uhr Uhren thing
Messer n Messers Messer thing
Koffer m Koffers Koffer thing
Tasche f Tasche Taschen thing
Fahrrad n Fahrrades Fahrräder thing
Bild n Bildes Bilder thing
Schlüssel m Schlüssels Schlüssel thing
Apfel m Apfels Äpfel food
Brot n Brotes Brote food
Kuchen m Kuchens Kuchen food
Suppe f Suppe Suppen food
Birne f Birne Birnen food
Haus n Hauses Häuser building
Schule f Schule Schulen building
Kirche f Kirche Kirchen building
Turm m Turmes Türme building
Hotel n Hotels Hotels building
Garten m Gartens Gärten area
Wald m Waldes Wälder area
Stadt f Stadt Städte area
Dorf n Dorfes Dörfer area
Park m Parks Parks area
Hut m Hutes Hüte clothing
Mantel m Mantels Mäntel clothing
Brille f Brille Brillen clothing
Hemd n Hemdes Hemden clothing
Krieg m Krieges Kriege topic
Liebe f Liebe Lieben topic
Meer n Meeres Meere topic
Mond m Mondes Monde topic
Natur f Natur Naturen topic
Hoffnung f Hoffnung Hoffnungen claim
Nachricht f Nachricht Nachrichten claim
Gerücht n Gerüchtes Gerüchte claim
Ahnung f Ahnung Ahnungen claim
Beweis m Beweises Beweise claim
""")
]

ADJECTIVES = [
    Adjective(lemma, stem, comparative, tuple(kinds.split(",")))
    for lemma, stem, comparative, kinds in _rows("""
alt alt älter person,animal,thing,text,building,clothing
jung jung jünger person,animal
groß groß größer animal,thing,building,area
klein klein kleiner person,animal,thing,building,area
schön schön schöner text,thing,building,area,animal
neu neu neuer text,thing,building,clothing
teuer teur teurer thing,building,clothing
lang lang länger text
kurz kurz kürzer text
gut gut besser food,text
frisch frisch frischer food
freundlich freundlich freundlicher person
müde müd müder person,animal
berühmt berühmt berühmter person,text,building
schwarz schwarz schwärzer animal,clothing,thing
""")
]

_THINGS = "text,thing,food,clothing"

VERBS = [
    Verb(
        "" if particle == "-" else particle,
        base,
        third,
        past,
        participle,
        auxiliary,
        frame,
        tuple(subjects.split(",")),
        tuple(objects.replace("things", _THINGS).split(",")),
        "" if preposition == "-" else preposition,
    )
    for (
        particle,
        base,
        third,
        past,
        participle,
        auxiliary,
        frame,
        subjects,
        objects,
        preposition,
    ) in _rows("""
- schlafen schläft schlief geschlafen haben i person,animal - -
- arbeiten arbeitet arbeitete gearbeitet haben i person - -
- lachen lacht lachte gelacht haben i person - -
- singen singt sang gesungen haben i person - -
- warten wartet wartete gewartet haben i person,animal - -
ein schlafen schläft schlief eingeschlafen sein i person,animal - -
- verschwinden verschwindet verschwand verschwunden sein i person,animal - -
- lesen liest las gelesen haben t person text -
- schreiben schreibt schrieb geschrieben haben t person text -
- übersetzen übersetzt übersetzte übersetzt haben t person text -
- loben lobt lobte gelobt haben t person text,person -
- kaufen kauft kaufte gekauft haben t person things,building,animal -
- verkaufen verkauft verkaufte verkauft haben t person things,building,animal -
- suchen sucht suchte gesucht haben t person things,person,animal -
- finden findet fand gefunden haben t person things,person,animal -
- vergessen vergisst vergaß vergessen haben t person things -
- verlieren verliert verlor verloren haben t person thing,clothing,text -
- malen malt malte gemalt haben t person building,animal,person,area -
- sehen sieht sah gesehen haben t person,animal person,animal,building -
- besuchen besucht besuchte besucht haben t person person -
- essen isst aß gegessen haben t person,animal food -
- bauen baut baute gebaut haben t person building -
ab holen holt holte abgeholt haben t person person,thing -
ein laden lädt lud eingeladen haben t person person -
mit bringen bringt brachte mitgebracht haben t person things -
- helfen hilft half geholfen haben d person person -
- danken dankt dankte gedankt haben d person person -
- folgen folgt folgte gefolgt sein d person,animal person,animal -
zu hören hört hörte zugehört haben d person person -
- geben gibt gab gegeben haben dt person things -
- schenken schenkt schenkte geschenkt haben dt person things,animal -
- zeigen zeigt zeigte gezeigt haben dt person things,building,animal -
- schicken schickt schickte geschickt haben dt person text,clothing -
vor lesen liest las vorgelesen haben dt person text -
- sprechen spricht sprach gesprochen haben p person topic,person über+Acc
- träumen träumt träumte geträumt haben p person topic,area von+Dat
- suchen sucht suchte gesucht haben p person things,animal nach+Dat
nach denken denkt dachte nachgedacht haben p person topic,text über+Acc
- freuen freut freute gefreut haben r person text,food,clothing über+Acc
- erinnern erinnert erinnerte erinnert haben r person person,area,topic an+Acc
- liegen liegt lag gelegen haben l text,thing,clothing,food - -
- stehen steht stand gestanden haben l thing,person - -
- sitzen sitzt saß gesessen haben l person,animal - -
- wohnen wohnt wohnte gewohnt haben l person - -
- gehen geht ging gegangen sein m person - -
- fahren fährt fuhr gefahren sein m person - -
- laufen läuft lief gelaufen sein m person,animal - -
zurück kommen kommt kam zurückgekommen sein m person - -
""")
]

# Verbs that govern a zu-infinitive: principal parts as above. Only verbs that allow the coherent
# order and the third construction, so that every word order the grammar makes is German.
CONTROL = [
    Verb("", base, third, past, participle, "haben", "t", ("person",), (), "")
    for base, third, past, participle in _rows("""
versuchen versucht versuchte versucht
vergessen vergisst vergaß vergessen
beschließen beschließt beschloss beschlossen
wagen wagt wagte gewagt
hoffen hofft hoffte gehofft
""")
]

# Verbs that govern a finite clause; "dass" or "ob".
BELIEF = [
    (Verb("", base, third, past, participle, "haben", "t", ("person",), (), ""), mark)
    for base, third, past, participle, mark in _rows("""
glauben glaubt glaubte geglaubt dass
sagen sagt sagte gesagt dass
denken denkt dachte gedacht dass
hören hört hörte gehört dass
erzählen erzählt erzählte erzählt dass
fragen fragt fragte gefragt ob
""")
]

NAMES = [
    ("Anna", "f"),
    ("Clara", "f"),
    ("Maria", "f"),
    ("Karl", "m"),
    ("Paul", "m"),
    ("Peter", "m"),
]
SURNAMES = ["Klein", "Weber", "Wolf", "Lang"]
CITIES = ["Berlin", "Bremen", "Köln", "Wien"]

TIMES = ["abends", "heute", "oft", "manchmal", "immer", "wieder", "endlich", "dort", "vielleicht"]
MANNERS = ["gern", "schnell", "langsam", "leise", "lange", "zusammen"]
DEGREES = ["sehr", "ziemlich", "besonders"]
NUMERALS = ["zwei", "drei", "vier", "fünf", "zehn"]
WEEKDAYS = ["Montag", "Dienstag", "Freitag", "Sonntag"]

# Personal pronouns: nominative, accusative, dative, then person, number, gender.
PRONOUNS = [
    ("ich", "mich", "mir", 1, "Sing", ""),
    ("er", "ihn", "ihm", 3, "Sing", "m"),
    ("sie", "sie", "ihr", 3, "Sing", "f"),
    ("wir", "uns", "uns", 1, "Plur", ""),
    ("sie", "sie", "ihnen", 3, "Plur", ""),
]

# Auxiliaries and modals: forms for 1st and 3rd singular and plural present, then the past stem.
AUXILIARIES = {
    "haben": ("habe", "hat", "haben", "hatte"),
    "sein": ("bin", "ist", "sind", "war"),
    "werden": ("werde", "wird", "werden", "wurde"),
    "können": ("kann", "kann", "können", "konnte"),
    "wollen": ("will", "will", "wollen", "wollte"),
    "müssen": ("muss", "muss", "müssen", "musste"),
    "dürfen": ("darf", "darf", "dürfen", "durfte"),
    "sollen": ("soll", "soll", "sollen", "sollte"),
}
MODALS = ["können", "wollen", "müssen", "dürfen", "sollen"]
