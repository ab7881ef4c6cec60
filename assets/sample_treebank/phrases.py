"""Noun phrases, prepositional phrases, verb complexes and clauses of the sample treebank.

Attachment is always decidable from form and order, which keeps the treebank learnable: a place or
time phrase belongs to the verb; "aus" + city and "mit" + clothing belong to the noun before them,
"über" + topic to a text noun; a genitive follows its noun.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import lexicon
import morphology as mo
from lexicon import Noun, Verb
from morphology import Phrase, Word

T = TypeVar("T")

PLACES = {
    "area": [("in", "Dat")],
    "building": [("in", "Dat"), ("vor", "Dat"), ("hinter", "Dat")],
    "thing": [("auf", "Dat"), ("neben", "Dat")],
}
GOALS = {"area": [("in", "Acc")], "building": [("zu", "Dat"), ("in", "Acc")]}
_SURFACES = {"Tisch", "Stuhl", "Koffer"}


class Rejected(Exception):
    """The draw broke a rule of the grammar; the caller draws again."""


class Chooser:
    """Random choices that are the same on every Python version.

    Only `Random.random` is promised to keep its sequence, so everything is built on it.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as likely; no item at all means that no word fits."""
        if not items:
            raise Rejected
        return items[int(self._random.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random.random() < probability

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        keys = [self._random.random() for _ in items]
        return [items[i] for i in sorted(range(len(items)), key=keys.__getitem__)]


def comma(head: Word) -> Word:
    """A comma attached to `head`."""
    return Word(",", ",", "PUNCT").attach(head, "punct")


def adverb(form: str) -> Phrase:
    """An uninflected adverb."""
    word = Word(form, form, "ADV")
    return Phrase(word, [word])


def negation() -> Phrase:
    """The particle "nicht"."""
    word = Word("nicht", "nicht", "PART", {"Polarity": "Neg"})
    return Phrase(word, [word])


def particle(form: str, lemma: str, upos: str, head: Word, deprel: str, **feats: str) -> Word:
    """A function word attached to `head`."""
    return Word(form, lemma, upos, feats).attach(head, deprel)


class Phrases:
    """Draws noun phrases and prepositional phrases."""

    def __init__(self, choose: Chooser) -> None:
        self.choose = choose

    def entry(self, kinds: Sequence[str]) -> Noun:
        """A noun of one of the classes, each class as likely."""
        kind = self.choose.pick([k for k in kinds if k != "-"])
        return self.choose.pick([n for n in lexicon.NOUNS if n.kind == kind])

    def noun_phrase(
        self,
        kinds: Sequence[str],
        case: str,
        *,
        number: str = "",
        determiner: str = "",
        adjective: float = 0.25,
        modifier: float = 0.2,
        entry: Noun | None = None,
    ) -> Phrase:
        """A determiner, perhaps an adjective, a noun, perhaps a genitive or another modifier."""
        choose = self.choose
        entry = entry or self.entry(kinds)
        number = number or ("Plur" if choose.chance(0.25) else "Sing")
        lemmas = ["der", "der", "der", "mein", "unser", "dieser"]
        lemmas += ["alle", "viele", "einige"] if number == "Plur" else ["ein", "ein", "jeder"]
        if entry.kind == "topic":
            number, lemmas = "Sing", ["der"]
        lemma = determiner or choose.pick(lemmas)
        head = mo.noun(entry, case, number)
        words = [mo.determiner(lemma, case, entry.gender, number).attach(head, "det")]
        if "Poss" in words[0].feats:
            words[0].deprel = "det:poss"
        if choose.chance(adjective):
            fitting = [a for a in lexicon.ADJECTIVES if entry.kind in a.kinds]
            if fitting:
                chosen = mo.adjective(choose.pick(fitting), case, entry.gender, number, lemma)
                if choose.chance(0.2):
                    words.append(adverb(choose.pick(lexicon.DEGREES)).head.attach(chosen, "advmod"))
                words.append(chosen.attach(head, "amod"))
        words.append(head)
        if choose.chance(modifier) and lemma in ("der", "ein", "dieser"):
            words += self._modifier(entry, head)
        return Phrase(head, words, entry.kind)

    def _modifier(self, entry: Noun, head: Word) -> list[Word]:
        if entry.kind == "person":
            if self.choose.chance(0.5):
                city = self.choose.pick(lexicon.CITIES)
                return self.city("aus", city).attach(head, "nmod").words
            return self.prepositional("mit", "Dat", ("clothing",)).attach(head, "nmod").words
        if entry.kind == "text":
            return self.prepositional("über", "Acc", ("topic",)).attach(head, "nmod").words
        if entry.kind in ("thing", "building", "clothing", "animal"):
            owner = self.noun_phrase(
                ("person",), "Gen", number="Sing", determiner="der", adjective=0.1, modifier=0.0
            )
            return owner.attach(head, "nmod").words
        return []

    def city(self, preposition: str, name: str) -> Phrase:
        """A preposition and a city."""
        feats = {"Case": "Dat", "Gender": "Neut", "Number": "Sing"}
        head = Word(name, name, "PROPN", feats)
        return Phrase(head, [particle(preposition, preposition, "ADP", head, "case"), head])

    def prepositional(self, preposition: str, case: str, kinds: Sequence[str]) -> Phrase:
        """A preposition with a short noun phrase."""
        return self._with_case(preposition, self._plain(self.entry(kinds), case))

    def _plain(self, entry: Noun, case: str) -> Phrase:
        lemma = self.choose.pick(["der", "der", "der", "ein", "dieser", "unser"])
        number = "Plur" if lemma != "ein" and self.choose.chance(0.15) else "Sing"
        return self.noun_phrase(
            (), case, entry=entry, number=number, determiner=lemma, adjective=0.15, modifier=0.0
        )

    def place(self) -> Phrase:
        """Where something is."""
        kind = self.choose.pick(sorted(PLACES))
        preposition, case = self.choose.pick(PLACES[kind])
        entry = self.entry((kind,))
        if preposition == "auf" and entry.lemma not in _SURFACES:
            preposition = "neben"
        return self._with_case(preposition, self._plain(entry, case))

    def goal(self) -> Phrase:
        """Where someone goes."""
        kind = self.choose.pick(sorted(GOALS))
        preposition, case = self.choose.pick(GOALS[kind])
        return self._with_case(preposition, self._plain(self.entry((kind,)), case))

    def weekday(self) -> Phrase:
        """ "am Montag" and its like."""
        name = self.choose.pick(lexicon.WEEKDAYS)
        head = mo.noun(Noun(name, "m", name + "s", name + "e", "day"), "Dat", "Sing")
        article = mo.determiner("der", "Dat", "m", "Sing").attach(head, "det")
        return self._with_case("an", Phrase(head, [article, head]))

    @staticmethod
    def _with_case(preposition: str, phrase: Phrase) -> Phrase:
        case_word = particle(preposition, preposition, "ADP", phrase.head, "case")
        return Phrase(phrase.head, [case_word, *phrase.words], phrase.kind)

    def name(self, case: str) -> Phrase:
        """A first name, perhaps with a surname."""
        first, gender = self.choose.pick(lexicon.NAMES)
        feats = {"Case": case, "Gender": mo.GENDERS[gender], "Number": "Sing"}
        head = Word(first, first, "PROPN", feats)
        words = [head]
        if self.choose.chance(0.3):
            surname = self.choose.pick(lexicon.SURNAMES)
            words.append(Word(surname, surname, "PROPN", dict(feats)).attach(head, "flat:name"))
        return Phrase(head, words, "person")

    def pronoun(self, case: str) -> Phrase:
        """A personal pronoun."""
        word = mo.pronoun(self.choose.pick(lexicon.PRONOUNS), case)
        return Phrase(word, [word], "person")

    def subject(self, kinds: Sequence[str], *, full: bool = False) -> Phrase:
        """A nominative phrase: a noun phrase, a coordination, a name or a pronoun."""
        if "person" in kinds and not full:
            if self.choose.chance(0.2):
                return self.pronoun("Nom")
            if self.choose.chance(0.15):
                return self.name("Nom")
            if self.choose.chance(0.08):
                return self.coordination(kinds, "Nom")
        return self.noun_phrase(kinds, "Nom")

    def coordination(self, kinds: Sequence[str], case: str) -> Phrase:
        """Two noun phrases joined by "und" or "oder"."""
        first = self.noun_phrase(kinds, case, modifier=0.0)
        second = self.noun_phrase([first.kind], case, modifier=0.0)
        if first.head.lemma == second.head.lemma:
            raise Rejected
        joint = self.choose.pick(["und", "und", "oder"])
        second.attach(first.head, "conj")
        cc = particle(joint, joint, "CCONJ", second.head, "cc")
        return Phrase(first.head, [*first.words, cc, *second.words], first.kind)

    def arguments(self, verb: Verb, *, objects: float = 0.1) -> list[tuple[str, Phrase]]:
        """The objects that a verb's frame asks for, as (relation, phrase) in neutral order."""
        result: list[tuple[str, Phrase]] = []
        if verb.frame in ("d", "dt"):
            kinds = verb.objects if verb.frame == "d" else ("person",)
            relation = "obl:arg" if verb.frame == "d" else "iobj"
            result.append((relation, self.noun_phrase(kinds, "Dat", modifier=0.0)))
        if verb.frame in ("t", "dt"):
            if self.choose.chance(objects):
                result.append(("obj", self.coordination(verb.objects, "Acc")))
            else:
                result.append(("obj", self.noun_phrase(verb.objects, "Acc")))
        if verb.preposition:
            preposition, case = verb.preposition.split("+")
            result.append(("obl:arg", self.prepositional(preposition, case, verb.objects)))
        if verb.frame == "l":
            result.append(("obl", self.place()))
        if verb.frame == "m":
            result.append(("obl", self.goal()))
        return result


@dataclass
class Clause:
    """A clause by topological fields; `middle` and `tail` hold phrases already attached.

    `right` is the right bracket without the finite verb; `final` is the finite verb when it
    stands last (verb-final clauses use the form with the prefix joined).
    """

    head: Word
    first: Word
    right: list[Word]
    final: list[Word]
    subject: Phrase
    middle: list[Phrase] = field(default_factory=list)
    tail: list[Word] = field(default_factory=list)

    def verb_second(self, front: Phrase) -> list[Word]:
        """Front field, finite verb, middle field, right bracket, tail."""
        rest = [w for p in self.middle if p is not front for w in p.words]
        return [*front.words, self.first, *rest, *self.right, *self.tail]

    def verb_first(self) -> list[Word]:
        """Finite verb in front, as in yes-no questions."""
        return [self.first, *(w for p in self.middle for w in p.words), *self.right, *self.tail]

    def verb_final(self, opening: Sequence[Word], without: Phrase | None = None) -> list[Word]:
        """Complementiser or relative phrase, middle field, verbs, tail."""
        rest = [w for p in self.middle if p is not without for w in p.words]
        return [*opening, *rest, *self.final, *self.tail]


def complex_of(verb: Verb, subject: Phrase, tense: str, *, last: bool) -> Clause:
    """The verb complex of a clause.

    Args:
        verb: the full verb.
        subject: what the finite verb agrees with; attached here.
        tense: present, past, perfect, pluperfect, future, a modal's lemma, or one of passive,
            passive-past, passive-perfect.
        last: whether the clause is verb-final.
    """
    relation = "nsubj"
    if tense in ("present", "past"):
        head = mo.finite(verb, subject, tense.title().replace("Present", "Pres"), joined=last)
        right = []
        if verb.particle and not last:
            right = [particle(verb.particle, verb.particle, "ADP", head, "compound:prt")]
        clause = Clause(head, head, right, [head], subject)
    elif tense.startswith("passive"):
        head = mo.participle(verb)
        relation = "nsubj:pass"
        if tense == "passive-perfect":
            fin = mo.auxiliary("sein", subject, "Pres").attach(head, "aux")
            feats = {"Aspect": "Perf", "VerbForm": "Part"}
            worden = Word("worden", "werden", "AUX", feats).attach(head, "aux:pass")
            right = [head, worden]
        else:
            when = "Past" if tense == "passive-past" else "Pres"
            fin = mo.auxiliary("werden", subject, when).attach(head, "aux:pass")
            right = [head]
        clause = Clause(head, fin, right, [*right, fin], subject)
    else:
        if tense in ("perfect", "pluperfect"):
            head = mo.participle(verb)
            when = "Pres" if tense == "perfect" else "Past"
            fin = mo.auxiliary(verb.auxiliary, subject, when)
        else:
            head = mo.infinitive(verb)
            fin = mo.auxiliary("werden" if tense == "future" else tense, subject, "Pres")
        fin.attach(head, "aux")
        clause = Clause(head, fin, [head], [head, fin], subject)
    subject.attach(clause.head, relation)
    return clause
