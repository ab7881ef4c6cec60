"""Clauses and their parts, shared by all constructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import lexicon
import morphology as mo
from lexicon import Verb
from morphology import Phrase, Word
from phrases import (
    Clause,
    Phrases,
    Rejected,
    adverb,
    comma,
    complex_of,
    negation,
    particle,
)

BRACKET = ["perfect", "perfect", "perfect", "pluperfect", "future", *lexicon.MODALS[:3]]
TENSES = ["present", "present", "past", *BRACKET]
SUBORDINATORS = ["weil", "weil", "obwohl", "wenn", "während"]
ANIMATE = ("person", "animal")

Words = list[Word]


def whole(words: Words, root: Word, mark: str = ".") -> Words:
    """A complete sentence, its final punctuation attached to the root."""
    return [*words, Word(mark, mark, "PUNCT").attach(root, "punct")]


def interrogative(form: str, lemma: str, **feats: str) -> Phrase:
    """A question word."""
    word = Word(form, lemma, "PRON", {**feats, "PronType": "Int"})
    return Phrase(word, [word])


def told_apart(subject: Phrase, obj: Phrase, kinds: Sequence[str]) -> bool:
    """Whether subject and object are distinguishable when the object comes first."""
    if obj.kind not in kinds:
        return True
    marked = any(w.feats.get("Case") == "Acc" and w.form.endswith("n") for w in obj.words[:1])
    return obj.head.feats.get("Gender") == "Masc" and obj.number == "Sing" and marked


class Clauses(Phrases):
    """Samples clauses, relative clauses, predicates and infinitives."""

    def verb(self, frames: Sequence[str], kind: str = "", obj: str = "") -> Verb:
        """A verb of one of the frames that takes such a subject and such an object."""
        return self.choose.pick(
            [
                v
                for v in lexicon.VERBS
                if v.frame in frames
                and (not kind or kind in v.subjects)
                and (not obj or obj in v.objects)
            ]
        )

    def any_verb(self, kind: str = "") -> Verb:
        """A verb of any frame, transitive ones twice as likely."""
        frame = self.choose.pick(["i", "t", "t", "t", "d", "dt", "p", "r", "l", "m"])
        return self.verb([frame], kind)

    def clause(
        self,
        verb: Verb | None = None,
        *,
        last: bool = False,
        tense: str = "",
        subject: Phrase | None = None,
        arguments: list[tuple[str, Phrase]] | None = None,
        adverbs: float = 0.35,
        negated: float = 0.12,
    ) -> Clause:
        """A clause whose middle field is filled in neutral order."""
        choose = self.choose
        verb = verb or self.any_verb()
        subject = subject or self.subject(verb.subjects)
        tense = tense or choose.pick(TENSES)
        if tense in lexicon.MODALS and subject.kind not in (*ANIMATE, ""):
            tense = "perfect"
        clause = complex_of(verb, subject, tense, last=last)
        arguments = self.arguments(verb) if arguments is None else arguments
        for relation, phrase in arguments:
            phrase.attach(clause.head, relation)
        clause.middle.append(subject)
        if verb.frame == "r":
            clause.middle.append(self.reflexive(subject).attach(clause.head, "expl:pv"))
        if choose.chance(adverbs):
            when = self.weekday() if choose.chance(0.3) else adverb(choose.pick(lexicon.TIMES))
            relation = "advmod" if when.head.upos == "ADV" else "obl"
            clause.middle.append(when.attach(clause.head, relation))
        clause.middle += [p for r, p in arguments if r in ("obj", "iobj")]
        if choose.chance(negated):
            clause.middle.append(negation().attach(clause.head, "advmod"))
        elif choose.chance(0.15):
            manner = adverb(choose.pick(lexicon.MANNERS))
            clause.middle.append(manner.attach(clause.head, "advmod"))
        clause.middle += [p for r, p in arguments if r not in ("obj", "iobj")]
        if verb.frame in ("i", "t") and choose.chance(0.15):
            clause.middle.append(self.place().attach(clause.head, "obl"))
        return clause

    def reflexive(self, subject: Phrase) -> Phrase:
        """The reflexive pronoun that agrees with the subject."""
        first = {"Sing": "mich", "Plur": "uns"}
        form = first[subject.number] if subject.person == 1 else "sich"
        feats = {
            "Case": "Acc",
            "Number": subject.number,
            "Person": str(subject.person),
            "PronType": "Prs",
            "Reflex": "Yes",
        }
        word = Word(form, form, "PRON", feats)
        return Phrase(word, [word])

    def front(self, clause: Clause) -> Phrase:
        """The prefield, before the finite verb: mostly the subject."""
        if self.choose.chance(0.6):
            return clause.subject
        options = [
            p
            for p in clause.middle
            if p.head.upos != "PART"
            and p.head.deprel != "expl:pv"
            and (p.head.deprel != "obj" or told_apart(clause.subject, p, ANIMATE))
        ]
        return self.choose.pick(options)

    def deliver(self, build: Callable[[bool], Clause], front: Phrase | None = None) -> Words:
        """Write a clause as a main clause, or (one in five) inside a subordinate clause."""
        if front is None and self.choose.chance(0.2):
            inner = build(True)
            if self.choose.chance(0.5):
                return self._believed(inner)
            return self._adverbial(inner)
        clause = build(False)
        return whole(clause.verb_second(front or self.front(clause)), clause.head)

    def _believed(self, inner: Clause) -> Words:
        verb, mark = self.choose.pick(lexicon.BELIEF)
        tense = self.choose.pick(["present", "past", "perfect"])
        subject = self.subject(["person"])
        outer = self.clause(verb, tense=tense, subject=subject, arguments=[], adverbs=0.2)
        inner.head.attach(outer.head, "ccomp")
        opening = [comma(inner.head), particle(mark, mark, "SCONJ", inner.head, "mark")]
        return whole(
            [*outer.verb_second(self.front(outer)), *inner.verb_final(opening)], outer.head
        )

    def _adverbial(self, inner: Clause) -> Words:
        outer = self.clause(self.verb(["i", "m", "d"]))
        form = self.choose.pick(SUBORDINATORS)
        inner.head.attach(outer.head, "advcl")
        opening = [comma(inner.head), particle(form, form, "SCONJ", inner.head, "mark")]
        return whole(
            [*outer.verb_second(self.front(outer)), *inner.verb_final(opening)], outer.head
        )

    def relative(self, antecedent: Phrase) -> Words:
        """A relative clause with both commas, attached to the antecedent."""
        choose, kind, noun = self.choose, antecedent.kind, antecedent.head
        role = choose.pick(["subject", "subject", "object", "place", "quality", "infinitive"])
        if role == "subject" and kind != "area":
            rel = self._relative_phrase(antecedent, "Nom")
            verbs = [v for v in lexicon.VERBS if kind in v.subjects]
            if not verbs:
                raise Rejected
            clause = self.clause(choose.pick(verbs), last=True, subject=rel, adverbs=0.2)
        elif role == "object":
            rel = self._relative_phrase(antecedent, "Acc")
            verb = self.verb(["t"], obj=kind)
            clause = self.clause(verb, last=True, arguments=[("obj", rel)], adverbs=0.15)
        elif role == "place" and kind in ("area", "building"):
            inner = self._relative_phrase(antecedent, "Dat")
            case = particle("in", "in", "ADP", inner.head, "case")
            rel = Phrase(inner.head, [case, inner.head])
            verb = self.choose.pick([v for v in lexicon.VERBS if v.lemma in ("wohnen", "arbeiten")])
            clause = self.clause(verb, last=True, arguments=[("obl", rel)], adverbs=0.15)
        elif role == "infinitive":
            return self._relative_infinitive(antecedent)
        else:
            return self._relative_quality(antecedent)
        clause.head.attach(noun, "acl:relcl")
        opening = [comma(clause.head), *rel.words]
        return [*clause.verb_final(opening, without=rel), comma(clause.head)]

    def _relative_phrase(self, antecedent: Phrase, case: str) -> Phrase:
        word = mo.relative_pronoun(antecedent.head, case)
        return Phrase(word, [word], antecedent.kind)

    def _relative_quality(self, antecedent: Phrase) -> Words:
        rel = self._relative_phrase(antecedent, "Nom")
        words, head = self.quality(antecedent.kind)
        head.attach(antecedent.head, "acl:relcl")
        rel.attach(head, "nsubj")
        tense = self.choose.pick(["Pres", "Past"])
        cop = mo.auxiliary("sein", rel, tense).attach(head, "cop")
        return [comma(head), *rel.words, *words, cop, comma(head)]

    def _relative_infinitive(self, antecedent: Phrase) -> Words:
        rel = self._relative_phrase(antecedent, "Acc")
        verb = self.verb(["t"], obj=antecedent.kind)
        control = self.choose.pick(lexicon.CONTROL)
        tense = self.choose.pick(["present", "past", "perfect"])
        clause = complex_of(control, self.subject(["person"]), tense, last=True)
        zu = mo.zu_infinitive(verb)
        zu[-1].attach(clause.head, "xcomp")
        rel.attach(zu[-1], "obj")
        clause.head.attach(antecedent.head, "acl:relcl")
        opening = [comma(clause.head), *rel.words, *clause.subject.words, *zu]
        return [*clause.verb_final(opening), comma(clause.head)]

    def quality(self, kind: str) -> tuple[Words, Word]:
        """A predicative adjective, perhaps with a degree adverb or a standard of comparison."""
        fitting = [a for a in lexicon.ADJECTIVES if kind in a.kinds]
        if not fitting:
            raise Rejected
        compared = self.choose.chance(0.25)
        head = mo.predicative(self.choose.pick(fitting), compared)
        if compared:
            standard = self.noun_phrase([kind], "Nom", adjective=0.1, modifier=0.0)
            return [head, *self.standard(head, standard)], head
        if self.choose.chance(0.4):
            return [
                adverb(self.choose.pick(lexicon.DEGREES)).head.attach(head, "advmod"),
                head,
            ], head
        return [head], head

    def standard(self, adjective: Word, phrase: Phrase) -> Words:
        """ "als" and what something is compared with; it depends on the comparative."""
        phrase.attach(adjective, "obl")
        als = particle("als", "als", "CCONJ", phrase.head, "case", ConjType="Comp")
        return [als, *phrase.words]

    def controlled(self, *, bare: bool = False) -> tuple[Words, list[Phrase]]:
        """A zu-infinitive (its words, the last is the head) and its objects."""
        verb = self.verb(["t", "t", "d"] if not bare else ["t"], "person")
        zu = mo.zu_infinitive(verb)
        objects = self.arguments(verb, objects=0.0)
        for relation, phrase in objects:
            phrase.attach(zu[-1], relation)
        return zu, [phrase for _, phrase in objects]

    def claim(self, *, tense: str, last: bool = False) -> tuple[Clause, Phrase, Clause]:
        """A clause about a claim, the noun phrase of the claim, and the clause that states it."""
        verb = self.choose.pick(
            [
                v
                for v in lexicon.VERBS
                if v.lemma in ("vergessen", "verlieren", "suchen") and v.frame == "t"
            ]
            + [v for v, _ in lexicon.BELIEF if v.lemma == "hören"]
        )
        noun = self.noun_phrase(["claim"], "Acc", number="Sing", determiner="der", modifier=0.0)
        clause = self.clause(verb, tense=tense, last=last, arguments=[("obj", noun)])
        inner = self.clause(last=True, adverbs=0.15)
        inner.head.attach(noun.head, "acl")
        return clause, noun, inner
