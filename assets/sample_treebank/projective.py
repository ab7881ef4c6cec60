"""The constructions of the sample treebank whose arcs do not cross."""

from __future__ import annotations

import lexicon
import morphology as mo
from clauses import (
    ANIMATE,
    BRACKET,
    SUBORDINATORS,
    Clauses,
    Words,
    interrogative,
    told_apart,
    whole,
)
from morphology import Phrase, Word
from phrases import Clause, Rejected, comma, complex_of, particle


class ProjectiveGrammar(Clauses):
    """Every method draws one sentence and returns all its words in order."""

    def declarative(self) -> Words:
        """A main clause, or a clause of any kind inside a subordinate clause."""
        return self.deliver(lambda last: self.clause(last=last))

    def question_yes_no(self) -> Words:
        """The finite verb comes first."""
        clause = self.clause()
        return whole(clause.verb_first(), clause.head, "?")

    def question_word(self) -> Words:
        """A question word comes first, the verb second."""
        choose = self.choose
        kind = choose.pick(["wer", "was", "wen", "wem", "adverb", "welcher", "whether"])
        if kind == "adverb":
            clause = self.clause()
            form = choose.pick(["wann", "warum", "wo"])
            word = Word(form, form, "ADV", {"PronType": "Int"}).attach(clause.head, "advmod")
            return whole(clause.verb_second(Phrase(word, [word])), clause.head, "?")
        if kind == "wer":
            asked = interrogative("wer", "wer", Case="Nom", Number="Sing")
            clause = self.clause(self.any_verb("person"), subject=asked)
        elif kind == "was":
            asked = interrogative("was", "was", Case="Acc", Number="Sing")
            clause = self.clause(self.verb(["t"], "person", "thing"), arguments=[("obj", asked)])
        elif kind == "wen":
            asked = interrogative("wen", "wer", Case="Acc", Number="Sing")
            clause = self.clause(self.verb(["t"], "person", "person"), arguments=[("obj", asked)])
        elif kind == "wem":
            asked = interrogative("wem", "wer", Case="Dat", Number="Sing")
            clause = self.clause(self.verb(["d"]), arguments=[("obl:arg", asked)])
        elif kind == "welcher":
            verb = self.verb(["t"], "person")
            asked = self.noun_phrase(verb.objects, "Acc", determiner="welcher", modifier=0.0)
            clause = self.clause(verb, arguments=[("obj", asked)])
            if not told_apart(clause.subject, asked, ANIMATE):
                raise Rejected
        else:
            ask = next(v for v, mark in lexicon.BELIEF if mark == "ob")
            asked = interrogative("wen", "wer", Case="Acc", Number="Sing")
            clause = self.clause(ask, arguments=[("obj", asked)], adverbs=0.1)
            inner = self.clause(last=True)
            inner.head.attach(clause.head, "ccomp")
            opening = [comma(inner.head), particle("ob", "ob", "SCONJ", inner.head, "mark")]
            clause.tail += inner.verb_final(opening)
        return whole(clause.verb_second(asked), clause.head, "?")

    def passive(self) -> Words:
        """A passive clause, perhaps with its agent."""
        verb = self.verb(["t"], "person")
        subject = self.noun_phrase(verb.objects, "Nom")
        arguments = []
        if self.choose.chance(0.6):
            arguments = [("obl:agent", self.prepositional("von", "Dat", ("person",)))]
        tense = self.choose.pick(["passive", "passive-past", "passive-perfect"])
        return self.deliver(
            lambda last: self.clause(
                verb, last=last, tense=tense, subject=subject, arguments=arguments
            )
        )

    def copula(self) -> Words:
        """An adjective or a noun as predicate."""
        subject = self.subject(["person", "text", "building", "animal", "area", "clothing"])
        if subject.kind == "person" and self.choose.chance(0.35):
            predicate = self.noun_phrase(
                ["person"], "Nom", number=subject.number, determiner="mein", modifier=0.0
            )
            words, head = predicate.words, predicate.head
            if subject.head.lemma == head.lemma:
                raise Rejected
        else:
            words, head = self.quality(subject.kind)
        subject.attach(head, "nsubj")
        tense = self.choose.pick(["Pres", "Pres", "Past"])
        cop = mo.auxiliary("sein", subject, tense).attach(head, "cop")
        if self.choose.chance(0.2):
            return whole([cop, *subject.words, *words], head, "?")
        return whole([*subject.words, cop, *words], head)

    def subordinate_last(self) -> Words:
        """A dass- or ob-clause behind its main clause."""
        return self._believed(self.clause(last=True))

    def subordinate_first(self) -> Words:
        """An adverbial clause before its main clause."""
        inner, outer = self.clause(last=True), self.clause(adverbs=0.1)
        form = self.choose.pick(SUBORDINATORS)
        inner.head.attach(outer.head, "advcl")
        opening = [particle(form, form, "SCONJ", inner.head, "mark")]
        front = Phrase(inner.head, [*inner.verb_final(opening), comma(inner.head)])
        return whole(outer.verb_second(front), outer.head)

    def clause_coordination(self) -> Words:
        """Two main clauses joined by a conjunction."""
        first, second = self.clause(), self.clause()
        joint = self.choose.pick(["aber", "und", "denn"])
        second.head.attach(first.head, "conj")
        cc = particle(joint, joint, "CCONJ", second.head, "cc")
        link = [cc] if joint == "und" else [comma(second.head), cc]
        words = [*first.verb_second(self.front(first)), *link]
        return whole([*words, *second.verb_second(self.front(second))], first.head)

    def shared_subject(self) -> Words:
        """Two verbs with one subject."""
        first = self.clause(self.any_verb("person"), subject=self.subject(["person"]))
        tense = self.choose.pick(["present", "past"])
        second = self.clause(
            self.any_verb("person"), tense=tense, subject=first.subject, adverbs=0.1
        )
        first.subject.attach(first.head, "nsubj")
        second.head.attach(first.head, "conj")
        cc = particle("und", "und", "CCONJ", second.head, "cc")
        rest = [w for p in second.middle if p is not first.subject for w in p.words]
        words = [*first.verb_second(first.subject), cc, second.first, *rest, *second.right]
        return whole(words, first.head)

    def relative_adjacent(self) -> Words:
        """The relative clause stands beside its noun."""
        if self.choose.chance(0.5):
            subject = self.noun_phrase(["person", "animal"], "Nom", modifier=0.0)
            clause = self.clause(self.any_verb(subject.kind), subject=subject)
            subject.words += self.relative(subject)
            return whole(clause.verb_second(subject), clause.head)
        verb = self.verb(["t"], "person")
        obj = self.noun_phrase(verb.objects, "Acc", modifier=0.0)
        tense = self.choose.pick(["present", "past", "perfect"])
        clause = self.clause(verb, tense=tense, arguments=[("obj", obj)])
        clause.middle = [p for p in clause.middle if p is not obj] + [obj]
        obj.words += self.relative(obj)
        return whole(clause.verb_second(clause.subject), clause.head)

    def infinitive_last(self) -> Words:
        """A zu-infinitive behind its main clause."""
        zu, objects = self.controlled()
        outer = self.clause(self.choose.pick(lexicon.CONTROL), arguments=[])
        zu[-1].attach(outer.head, "xcomp")
        outer.tail += [comma(zu[-1]), *(w for p in objects for w in p.words), *zu]
        return whole(outer.verb_second(self.front(outer)), outer.head)

    def infinitive_coherent(self) -> Words:
        """A zu-infinitive before the verb that governs it."""
        zu, objects = self.controlled()
        control, tense = self.choose.pick(lexicon.CONTROL), self.choose.pick(BRACKET)

        def build(last: bool) -> Clause:
            clause = self.clause(control, last=last, tense=tense, arguments=[])
            zu[-1].attach(clause.head, "xcomp")
            inner = [w for p in objects for w in p.words]
            clause.middle.append(Phrase(zu[-1], [*inner, *zu]))
            return clause

        return self.deliver(build)

    def purpose(self) -> Words:
        """A clause with "um" and zu-infinitive."""
        zu, objects = self.controlled()
        outer = self.clause(self.verb(["m", "i"], "person"), subject=self.subject(["person"]))
        zu[-1].attach(outer.head, "advcl")
        um = particle("um", "um", "SCONJ", zu[-1], "mark")
        outer.tail += [comma(zu[-1]), um, *(w for p in objects for w in p.words), *zu]
        return whole(outer.verb_second(self.front(outer)), outer.head)

    def direct_speech(self) -> Words:
        """A quoted clause and who said it."""
        inner = self.clause()
        said = self.clause(
            next(v for v, _ in lexicon.BELIEF if v.lemma == "sagen"),
            tense=self.choose.pick(["present", "past"]),
            subject=self.subject(["person"]),
            arguments=[],
            adverbs=0.2,
        )
        inner.head.attach(said.head, "ccomp")
        opening = Word("„", "„", "PUNCT").attach(inner.head, "punct")
        closing = Word("“", "“", "PUNCT").attach(inner.head, "punct")
        quoted = [opening, *inner.verb_second(self.front(inner)), closing, comma(inner.head)]
        return whole([*quoted, *said.verb_first()], said.head)

    def request(self) -> Words:
        """A polite imperative."""
        verb = self.verb(["t", "d", "dt", "m"], "person")
        feats = {"Case": "Nom", "Number": "Plur", "Person": "3", "Polite": "Form"}
        you = Word("Sie", "Sie", "PRON", {**feats, "PronType": "Prs"})
        clause = self.clause(verb, tense="present", subject=Phrase(you, [you]), adverbs=0.15)
        clause.first.feats["Mood"] = "Imp"
        del clause.first.feats["Tense"]
        words = clause.verb_first()
        if self.choose.chance(0.4):
            words = [particle("bitte", "bitte", "INTJ", clause.head, "discourse"), *words]
        return whole(words, clause.head, "!")

    def existential(self) -> Words:
        """ "es gibt" and what there is."""
        tense = self.choose.pick(["present", "past"])
        give = next(v for v in lexicon.VERBS if v.lemma == "geben")
        feats = {"Case": "Nom", "Gender": "Neut", "Number": "Sing", "Person": "3"}
        there = Word("es", "es", "PRON", {**feats, "PronType": "Prs"})
        clause = complex_of(give, Phrase(there, [there]), tense, last=False)
        there.deprel = "expl"
        thing = self.noun_phrase(["building", "text", "animal"], "Acc", determiner="kein")
        where = self.place().attach(clause.head, "obl")
        clause.middle = [Phrase(there, [there]), where, thing.attach(clause.head, "obj")]
        return whole(clause.verb_second(self.choose.pick(clause.middle[:2])), clause.head)

    def content_clause_adjacent(self) -> Words:
        """A dass-clause beside the noun it depends on."""
        clause, noun, inner = self.claim(tense=self.choose.pick(["perfect", "past"]))
        opening = [comma(inner.head), particle("dass", "dass", "SCONJ", inner.head, "mark")]
        noun.words += [*inner.verb_final(opening), comma(inner.head)]
        return whole(clause.verb_second(noun), clause.head)
