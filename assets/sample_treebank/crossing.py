"""The non-projective constructions of the sample treebank."""

from __future__ import annotations

import lexicon
import morphology as mo
from clauses import ANIMATE, BRACKET, Words, interrogative, told_apart, whole
from morphology import Phrase, Word
from phrases import Clause, Rejected, comma, complex_of, particle
from projective import ProjectiveGrammar


class CrossingGrammar(ProjectiveGrammar):
    """The whole grammar: projective and non-projective constructions."""

    def relative_extraposed(self) -> Words:
        """The relative clause stands behind the verbs, away from its noun."""
        if self.choose.chance(0.25):
            verb = self.verb(["i", "m"])
            antecedent = self.noun_phrase(verb.subjects, "Nom", modifier=0.0)
            subject, arguments = antecedent, None
        else:
            verb = self.verb(["t", "t", "dt"], "person")
            antecedent = self.noun_phrase(verb.objects, "Acc", modifier=0.0)
            subject = self.subject(["person"])
            arguments = [("obj", antecedent)]
            if verb.frame == "dt":
                receiver = self.noun_phrase(["person"], "Dat", modifier=0.0)
                arguments.insert(0, ("iobj", receiver))
        tense = self.choose.pick(BRACKET)

        def build(last: bool) -> Clause:
            clause = self.clause(verb, last=last, tense=tense, subject=subject, arguments=arguments)
            clause.tail += self.relative(antecedent)
            return clause

        return self.deliver(build)

    def content_clause_extraposed(self) -> Words:
        """A dass-clause that depends on a noun stands behind the verbs."""
        clause, _, inner = self.claim(tense=self.choose.pick(BRACKET))
        opening = [comma(inner.head), particle("dass", "dass", "SCONJ", inner.head, "mark")]
        clause.tail += inner.verb_final(opening)
        return whole(clause.verb_second(clause.subject), clause.head)

    def split_noun_phrase(self) -> Words:
        """The noun is fronted, its quantifier stranded."""
        verb = self.verb(["t"], "person")
        entry = self.entry(verb.objects)
        if entry.kind in ANIMATE and entry.gender != "m":
            raise Rejected
        head = mo.noun(entry, "Acc", "Plur")
        words = [head]
        fitting = [a for a in lexicon.ADJECTIVES if entry.kind in a.kinds]
        if fitting and self.choose.chance(0.35):
            adjective = mo.adjective(self.choose.pick(fitting), "Acc", entry.gender, "Plur")
            words = [adjective.attach(head, "amod"), head]
        if self.choose.chance(0.25):
            form = self.choose.pick(lexicon.NUMERALS)
            rest = Word(form, form, "NUM", {"NumType": "Card"}).attach(head, "nummod")
        else:
            lemma = self.choose.pick(["kein", "viele", "einige"])
            rest = mo.quantifier_alone(lemma, "Acc", entry.gender, "Plur").attach(head, "det")
        subject = self.subject(["person"])
        if subject.number == "Plur":
            raise Rejected
        clause = self.clause(
            verb, subject=subject, arguments=[("obj", Phrase(rest, [rest]))], negated=0.0
        )
        rest.attach(head, "nummod" if rest.upos == "NUM" else "det")
        head.attach(clause.head, "obj")
        return whole(clause.verb_second(Phrase(head, words)), clause.head)

    def floating_quantifier(self) -> Words:
        """ "alle" stands apart from the subject it belongs to."""
        verb = self.any_verb("person")
        subject = self.noun_phrase(["person"], "Nom", number="Plur", determiner="der", modifier=0.0)
        clause = self.clause(verb, subject=subject)
        alle = mo.quantifier_alone("alle", "Nom", "m", "Plur").attach(subject.head, "det")
        clause.middle.insert(1, Phrase(alle, [alle]))
        if verb.frame == "r":
            clause.middle[1:3] = clause.middle[2:0:-1]
        return whole(clause.verb_second(subject), clause.head)

    def infinitive_topic(self) -> Words:
        """The object of the infinitive opens the sentence."""
        zu, objects = self.controlled(bare=True)
        clause = self._control(last=False)
        if not told_apart(clause.subject, objects[0], ANIMATE):
            raise Rejected
        zu[-1].attach(clause.head, "xcomp")
        clause.middle.append(Phrase(zu[-1], zu))
        return whole(clause.verb_second(objects[0]), clause.head)

    def infinitive_fronted(self) -> Words:
        """The infinitive opens the sentence without its object."""
        zu, objects = self.controlled(bare=True)
        clause = self._control(last=False)
        if not told_apart(clause.subject, objects[0], ANIMATE):
            raise Rejected
        zu[-1].attach(clause.head, "xcomp")
        clause.middle += objects
        return whole(clause.verb_second(Phrase(zu[-1], zu)), clause.head)

    def third_construction(self) -> Words:
        """The infinitive stands behind the governing verb, its object before it."""
        zu, objects = self.controlled()

        def build(last: bool) -> Clause:
            clause = self._control(last)
            zu[-1].attach(clause.head, "xcomp")
            clause.middle += objects
            clause.tail += zu
            return clause

        return self.deliver(build)

    def _control(self, last: bool) -> Clause:
        verb, tense = self.choose.pick(lexicon.CONTROL), self.choose.pick(BRACKET[:4])
        subject = self.subject(["person"])
        return self.clause(verb, last=last, tense=tense, subject=subject, arguments=[])

    def long_distance_question(self) -> Words:
        """The question word belongs to the embedded clause."""
        kind = self.choose.pick(["was", "wen", "wem", "wo"])
        subject = self.subject(["person"])
        if kind == "was":
            asked = interrogative("was", "was", Case="Acc", Number="Sing")
            verb, arguments = self.verb(["t"], "person", "thing"), [("obj", asked)]
        elif kind == "wen":
            asked = interrogative("wen", "wer", Case="Acc", Number="Sing")
            verb, arguments = self.verb(["t"], "person", "person"), [("obj", asked)]
        elif kind == "wem":
            asked = interrogative("wem", "wer", Case="Dat", Number="Sing")
            verb, arguments = self.verb(["d"]), [("obl:arg", asked)]
        else:
            word = Word("wo", "wo", "ADV", {"PronType": "Int"})
            asked = Phrase(word, [word])
            verb = self.choose.pick([v for v in lexicon.VERBS if v.frame == "l"])
            subject, arguments = self.subject(verb.subjects), [("advmod", asked)]
        inner = self.clause(verb, last=True, subject=subject, arguments=arguments, adverbs=0.15)
        believe = self.choose.pick(
            [v for v, m in lexicon.BELIEF if v.lemma in ("glauben", "sagen")]
        )
        tense = self.choose.pick(["present", "perfect"])
        outer = complex_of(believe, self.subject(["person"]), tense, last=False)
        outer.middle.append(outer.subject)
        inner.head.attach(outer.head, "ccomp")
        opening = [comma(inner.head), particle("dass", "dass", "SCONJ", inner.head, "mark")]
        outer.tail += inner.verb_final(opening, without=asked)
        return whole(outer.verb_second(asked), outer.head, "?")

    def phrase_extraposed(self) -> Words:
        """ "über" and its topic stand behind the verbs, away from the text they describe."""
        verb = self.verb(["t"], "person", "text")
        text = self.noun_phrase(["text"], "Acc", modifier=0.0)
        topic = self.prepositional("über", "Acc", ("topic",)).attach(text.head, "nmod")
        tense = self.choose.pick(BRACKET)

        def build(last: bool) -> Clause:
            subject = self.subject(["person"])
            clause = self.clause(
                verb, last=last, tense=tense, subject=subject, arguments=[("obj", text)]
            )
            clause.tail += topic.words
            return clause

        return self.deliver(build)

    def comparison_extraposed(self) -> Words:
        """ "als" and the standard of comparison stand behind the verbs."""
        kind = self.choose.pick(["thing", "building", "animal", "text"])
        verb, entry = self.verb(["t"], "person", kind), self.entry([kind])
        number = "Sing"
        head = mo.noun(entry, "Acc", number)
        article = mo.determiner("ein", "Acc", entry.gender, number).attach(head, "det")
        chosen = self.choose.pick([a for a in lexicon.ADJECTIVES if kind in a.kinds])
        adjective = mo.adjective(chosen, "Acc", entry.gender, number, "ein", comparative=True)
        obj = Phrase(head, [article, adjective.attach(head, "amod"), head], kind)
        standard = self.noun_phrase(["person"], "Nom", adjective=0.1, modifier=0.0)
        subject = self.subject(["person"])
        clause = self.clause(
            verb, tense=self.choose.pick(BRACKET), subject=subject, arguments=[("obj", obj)]
        )
        clause.tail += self.standard(adjective, standard)
        return whole(clause.verb_second(clause.subject), clause.head)

    def partitive_topic(self) -> Words:
        """A set in front, a number of its members behind the verb."""
        verb = self.verb(["t"], "person")
        form = self.choose.pick(lexicon.NUMERALS)
        number = Word(form, form, "NUM", {"NumType": "Card"})
        clause = self.clause(
            verb,
            subject=self.subject(["person"]),
            arguments=[("obj", Phrase(number, [number]))],
            negated=0.0,
        )
        members = self.noun_phrase(
            verb.objects, "Dat", number="Plur", determiner="der", modifier=0.0
        ).attach(number, "nmod")
        von = particle("von", "von", "ADP", members.head, "case")
        return whole(clause.verb_second(Phrase(members.head, [von, *members.words])), clause.head)

    def stranded_preposition(self) -> Words:
        """ "da" opens the sentence, its preposition is stranded (as in spoken northern German)."""
        verb = self.choose.pick(
            [v for v in lexicon.VERBS if v.preposition in ("von+Dat", "nach+Dat")]
        )
        da = Word("da", "da", "ADV", {"PronType": "Dem"})
        preposition = verb.preposition.split("+")[0]
        case = particle(preposition, preposition, "ADP", da, "case")
        clause = self.clause(verb, tense=self.choose.pick(BRACKET), arguments=[])
        clause.middle.append(Phrase(case, [case]))
        da.attach(clause.head, "obl:arg")
        return whole(clause.verb_second(Phrase(da, [da])), clause.head)
