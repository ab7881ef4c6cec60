"""Words, phrases and German inflection for the sample treebank."""

from __future__ import annotations

from dataclasses import dataclass, field

import lexicon
from lexicon import Adjective, Noun, Verb

GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
CASES = ("Nom", "Acc", "Dat", "Gen")

# Rows are cases as in CASES; columns are masculine, feminine, neuter, plural. "-" is no ending.
_ARTICLE = ("der die das die", "den die das die", "dem der dem den", "des der des der")
_DER_WORD = ("er e es e", "en e es e", "em er em en", "es er es er")
_EIN_WORD = ("- e - e", "en e - e", "em er em en", "es er es er")
_STRONG = ("er e es e", "en e es e", "em er em en", "en er en er")
_WEAK = ("e e e en", "en e e en", "en en en en", "en en en en")
_MIXED = ("er e es en", "en e es en", "en en en en", "en en en en")
_RELATIVE = ("der die das die", "den die das die", "dem der dem denen", "dessen deren dessen deren")

# Determiners: lemma -> (stem, endings, endings of a following adjective, features).
_DETERMINERS = {
    "der": ("", _ARTICLE, _WEAK, {"Definite": "Def", "PronType": "Art"}),
    "ein": ("ein", _EIN_WORD, _MIXED, {"Definite": "Ind", "PronType": "Art"}),
    "kein": ("kein", _EIN_WORD, _MIXED, {"PronType": "Neg"}),
    "mein": ("mein", _EIN_WORD, _MIXED, {"Poss": "Yes", "PronType": "Prs"}),
    "unser": ("unser", _EIN_WORD, _MIXED, {"Poss": "Yes", "PronType": "Prs"}),
    "dieser": ("dies", _DER_WORD, _WEAK, {"PronType": "Dem"}),
    "jeder": ("jed", _DER_WORD, _WEAK, {"PronType": "Tot"}),
    "welcher": ("welch", _DER_WORD, _WEAK, {"PronType": "Int"}),
    "alle": ("all", _DER_WORD, _WEAK, {"PronType": "Tot"}),
    "viele": ("viel", _DER_WORD, _STRONG, {"PronType": "Ind"}),
    "einige": ("einig", _DER_WORD, _STRONG, {"PronType": "Ind"}),
}


@dataclass(eq=False)
class Word:
    """One syntactic word; `head` is None for the root until the sentence is written."""

    form: str
    lemma: str
    upos: str
    feats: dict[str, str] = field(default_factory=dict)
    head: Word | None = None
    deprel: str = "root"

    def attach(self, head: Word, deprel: str) -> Word:
        """Make this word a dependent of `head` and return it."""
        self.head, self.deprel = head, deprel
        return self


@dataclass
class Phrase:
    """Words in surface order, the head among them, and the noun class for selection."""

    head: Word
    words: list[Word]
    kind: str = ""

    @property
    def number(self) -> str:
        """Number for verb agreement; coordinated phrases are plural."""
        joined = any(w.deprel == "conj" and w.head is self.head for w in self.words)
        return "Plur" if joined else self.head.feats.get("Number", "Sing")

    @property
    def person(self) -> int:
        """Person for verb agreement."""
        return int(self.head.feats.get("Person", "3"))

    def attach(self, head: Word, deprel: str) -> Phrase:
        """Make the phrase's head a dependent of `head` and return the phrase."""
        self.head.attach(head, deprel)
        return self


def _cell(table: tuple[str, ...], case: str, gender: str, number: str) -> str:
    column = 3 if number == "Plur" else "mfn".index(gender)
    ending = table[CASES.index(case)].split()[column]
    return "" if ending == "-" else ending


def _agreement(case: str, gender: str, number: str) -> dict[str, str]:
    feats = {"Case": case, "Number": number}
    if number == "Sing":
        feats["Gender"] = GENDERS[gender]
    return feats


def determiner(lemma: str, case: str, gender: str, number: str) -> Word:
    """Inflect a determiner (an article, a possessive, a quantifier)."""
    stem, table, _, feats = _DETERMINERS[lemma]
    form = stem + _cell(table, case, gender, number)
    return Word(form, lemma, "DET", feats | _agreement(case, gender, number))


def quantifier_alone(lemma: str, case: str, gender: str, number: str) -> Word:
    """Inflect a quantifier that stands apart from its noun: it takes the strong endings."""
    stem, _, _, feats = _DETERMINERS[lemma]
    form = stem + _cell(_DER_WORD, case, gender, number)
    return Word(form, lemma, "DET", feats | _agreement(case, gender, number))


def adjective(
    entry: Adjective,
    case: str,
    gender: str,
    number: str,
    after: str = "",
    comparative: bool = False,
) -> Word:
    """Inflect an attributive adjective; `after` is the lemma of the determiner before it."""
    table = _DETERMINERS[after][2] if after else _STRONG
    stem = entry.comparative if comparative else entry.stem
    feats = _agreement(case, gender, number) | {"Degree": "Cmp" if comparative else "Pos"}
    return Word(stem + _cell(table, case, gender, number), entry.lemma, "ADJ", feats)


def predicative(entry: Adjective, comparative: bool = False) -> Word:
    """The uninflected form of an adjective."""
    form = entry.comparative if comparative else entry.lemma
    return Word(form, entry.lemma, "ADJ", {"Degree": "Cmp" if comparative else "Pos"})


def noun(entry: Noun, case: str, number: str) -> Word:
    """Inflect a common noun; weak masculines and dative plurals follow from the table."""
    if number == "Plur":
        form = entry.plural
        if case == "Dat" and form[-1] not in "ns":
            form += "n"
    elif case == "Gen":
        form = entry.genitive
    elif case != "Nom" and entry.gender == "m" and entry.genitive[-1] == "n":
        form = entry.genitive
    else:
        form = entry.lemma
    feats = {"Case": case, "Gender": GENDERS[entry.gender], "Number": number}
    return Word(form, entry.lemma, "NOUN", feats)


def relative_pronoun(antecedent: Word, case: str) -> Word:
    """The relative pronoun that agrees with `antecedent` in gender and number."""
    gender = {full: short for short, full in GENDERS.items()}[antecedent.feats["Gender"]]
    number = antecedent.feats["Number"]
    form = _cell(_RELATIVE, case, gender, number)
    feats = _agreement(case, gender, number) | {"PronType": "Rel"}
    return Word(form, "der", "PRON", feats)


def pronoun(row: tuple[str, str, str, int, str, str], case: str) -> Word:
    """A personal pronoun in the nominative, accusative or dative."""
    *forms, person, number, gender = row
    feats = {"Case": case, "Number": str(number), "Person": str(person), "PronType": "Prs"}
    if gender:
        feats["Gender"] = GENDERS[gender]
    return Word(forms[CASES.index(case)], row[0], "PRON", feats)


def _past(stem: str, plural: bool) -> str:
    if not plural:
        return stem
    return stem + ("n" if stem.endswith("e") else "en")


def _finite_feats(subject: Phrase, tense: str) -> dict[str, str]:
    return {
        "Mood": "Ind",
        "Number": subject.number,
        "Person": str(subject.person),
        "Tense": tense,
        "VerbForm": "Fin",
    }


def finite(verb: Verb, subject: Phrase, tense: str, joined: bool) -> Word:
    """A finite full verb; `joined` writes the separable prefix with it (verb-final clauses)."""
    if tense == "Past":
        form = _past(verb.past, subject.number == "Plur")
    elif subject.number == "Plur":
        form = verb.base
    elif subject.person == 1:
        form = verb.base[:-1] if verb.base.endswith("en") else verb.base[:-1] + "e"
    else:
        form = verb.third
    prefix = verb.particle if joined else ""
    return Word(prefix + form, verb.lemma, "VERB", _finite_feats(subject, tense))


def auxiliary(lemma: str, subject: Phrase, tense: str) -> Word:
    """A finite auxiliary or modal."""
    first, third, plural, past = lexicon.AUXILIARIES[lemma]
    if tense == "Past":
        form = _past(past, subject.number == "Plur")
    elif subject.number == "Plur":
        form = plural
    else:
        form = first if subject.person == 1 else third
    return Word(form, lemma, "AUX", _finite_feats(subject, tense))


def infinitive(verb: Verb) -> Word:
    """The bare infinitive."""
    return Word(verb.lemma, verb.lemma, "VERB", {"VerbForm": "Inf"})


def zu_infinitive(verb: Verb) -> list[Word]:
    """The infinitive with zu: two words, or one when zu stands inside a separable verb."""
    if verb.particle:
        form = f"{verb.particle}zu{verb.base}"
        return [Word(form, verb.lemma, "VERB", {"VerbForm": "Inf"})]
    head = infinitive(verb)
    return [Word("zu", "zu", "PART", {"PartType": "Inf"}).attach(head, "mark"), head]


def participle(verb: Verb) -> Word:
    """The past participle."""
    return Word(verb.participle, verb.lemma, "VERB", {"Aspect": "Perf", "VerbForm": "Part"})
