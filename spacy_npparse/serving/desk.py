"""The desk: a person corrects the trees of a treebank, and the parser draws its conclusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.annotation.posteriors import parser_of
from spacy_npparse.annotation.selection import judge_sentences
from spacy_npparse.components import (
    DependencyConstraints,
    constraints_of_sentence,
    set_given_labels,
)
from spacy_npparse.serving.parsing import draw
from spacy_npparse.serving.pipelines import RequestError, ServedPipeline
from spacy_npparse.serving.treebank_file import Columns, TreebankFile, TreebankFileError
from spacy_npparse.treebank import Sentence, parse_sentence, unannotated_doc, without_annotation
from spacy_npparse.treebank.contraction import uncut_tokens
from spacy_npparse.treebank.rows import make_sentence
from spacy_npparse.treebank.sentence import EMPTY, SPACY_ROOT, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD

_ANSWER = 60.0


@dataclass(frozen=True)
class EditedTree:
    """The tree of a sentence, and how far a person has looked at it.

    Attributes:
        heads: Of each word, 1..n, 0 for the root.
        labels: Of the arcs.
        confirmed: The words, from 1, whose arcs are right.
        done: Whether the sentence is confirmed as a whole.
    """

    heads: tuple[int, ...]
    labels: tuple[str, ...]
    confirmed: tuple[int, ...] = ()
    done: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> EditedTree:
        """Read a tree of the journal."""
        heads, labels, confirmed = (tuple(given[name]) for name in ("heads", "labels", "confirmed"))
        return cls(heads, labels, confirmed, given["done"])

    @property
    def columns(self) -> Columns:
        """HEAD and DEPREL."""
        return list(zip(map(str, self.heads), self.labels, strict=True))

    def confirm(self, words: Sequence[int], done: bool = False) -> EditedTree:
        """The same tree, with more words that are right."""
        return replace(self, confirmed=tuple(sorted({*self.confirmed, *words})), done=done)


class _Parsed(NamedTuple):
    """What a parser finds of a sentence, of which a part is given."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]
    # Of each word, the probabilities of the most probable heads.
    likely: list[dict[int, float]]


@dataclass(frozen=True)
class _Partial:
    """A sentence of whose tree a part is given."""

    sentence: Sentence
    constraints: DependencyConstraints

    @property
    def size(self) -> int:
        return len(self.sentence.text)

    def prepare(self, nlp: Language) -> Doc:
        doc = unannotated_doc([self.sentence], nlp.vocab, sentence_starts=True)
        return self.constraints.attach(doc)

    def read(self, doc: Doc) -> _Parsed:
        set_given_labels(doc, self.sentence)
        labels = (UD_ROOT if token.dep_ == SPACY_ROOT else token.dep_ for token in doc)
        likely = [
            {0 if head == token.i else head + 1: p for head, p in found.items()}
            for token in doc
            for found in [token._.head_distribution or {}]
        ]
        heads = (0 if token.head.i == token.i else token.head.i + 1 for token in doc)
        return _Parsed(tuple(heads), tuple(labels), likely)


class Desk:
    """A treebank that is corrected, by one change after the other.

    Args:
        path: The treebank.
        nlp: A pipeline with one parser, which judges all sentences now.
        pipeline: The same, as it is served.

    Attributes:
        file: The treebank.
        labels: That arcs may have.

    Raises:
        PosteriorError: The pipeline has no parser with probabilities of all heads.
        TreebankFileError: See `TreebankFile`.
    """

    def __init__(self, path: Path, nlp: Language, pipeline: ServedPipeline) -> None:
        parser = parser_of(nlp)
        self.file = TreebankFile(path)
        sentences = self.file.sentences
        can_be_parsed = [one for one in sentences if not uncut_tokens(one)]
        judged = judge_sentences(nlp, can_be_parsed, nlp.batch_size)
        self._errors = [
            np.zeros(len(one.words)) if uncut_tokens(one) else next(judged).errors
            for one in sentences
        ]
        known = {row.deprel for sentence in sentences for row in sentence.words}
        self.labels = sorted({*parser.label_data, UD_ROOT, *known} - {EMPTY})
        self._parser_labels = parser.labels
        self._pipeline = pipeline
        self._lock = Lock()
        self._trees: dict[int, EditedTree] = {}
        self._likely: dict[int, list[dict[int, float]]] = {}
        self._versions: Counter[int] = Counter()
        # What the file had before the first change.
        self._given: dict[int, Columns] = {}
        self._past: list[dict[str, Any]] = []
        self._future: list[dict[str, Any]] = []
        for record in self.file.changes:
            self._apply(record)
        self.file.write(self._columns())

    def overview(self) -> list[dict[str, Any]]:
        """All sentences: how far they are confirmed, and how doubtful the rest is, as the mean
        probability that an arc is wrong."""
        return [self._summary(number) for number in range(len(self.file.sentences))]

    def _summary(self, number: int) -> dict[str, Any]:
        sentence, errors = self.file.sentences[number], self._errors[number]
        tree = self._trees.get(number)
        confirmed = _given_words(sentence) if tree is None else tree.confirmed
        doubts = np.delete(errors, [word - 1 for word in confirmed])
        return {
            "number": number,
            "sent_id": sentence.sent_id or str(number + 1),
            "text": sentence.metadata.get("text") or " ".join(row.form for row in sentence.words),
            "length": len(errors),
            "confirmed": len(confirmed),
            "done": tree is not None and tree.done,
            "doubt": round(float(doubts.mean()), 4) if len(doubts) else 0.0,
        }

    def show(self, number: Any, width: float) -> dict[str, Any]:
        """A sentence as the page shows it.

        Args:
            number: Of the sentence, from 0.
            width: Of the drawing, in px.

        Raises:
            RequestError: There is no such sentence.
        """
        with self._lock:
            return self._shown(number, width)

    def act(self, given: Mapping[str, Any], width: float) -> dict[str, Any]:
        """Make a change.

        Args:
            given: `do`: undo, redo, or for a `sentence` and its `version`, confirm; or for a `word`
                of it, read (it and those before are right), head or label, with the new one.
            width: See `show`.

        Returns:
            The sentence as it is now, with the words whose arcs have changed.

        Raises:
            RequestError: There is no such change.
            ConstraintError: No tree has all that is confirmed.
        """
        with self._lock:
            do = given.get("do")
            if do in ("undo", "redo"):
                changes = self._past if do == "undo" else self._future
                if not changes:
                    raise RequestError(f"There is nothing to {do}.")
                record = {**changes[-1], "do": do}
                number = record["sentence"]
                before = self._tree(number)
            else:
                number = given.get("sentence", -1)
                before = self._tree(number)
                if given.get("version") != self._versions[number]:
                    raise RequestError("The sentence was changed in another window. Open it again.")
                after = self._changed(number, before, given)
                record = {"do": "do", "sentence": number}
                record |= {"before": asdict(before), "after": asdict(after)}
                if number not in self._given:
                    words = self.file.sentences[number].words
                    record["given"] = [(row.head, row.deprel) for row in words]
            self.file.append(record)
            self._apply(record)
            problem = ""
            try:
                self.file.write(self._columns())
            except (TreebankFileError, OSError) as error:
                problem = str(error)
            return {**self._shown(number, width, before), "problem": problem}

    def _apply(self, record: dict[str, Any]) -> None:
        """A change that is in the journal."""
        number, do = record["sentence"], record["do"]
        if "given" in record:
            self._given[number] = [(head, deprel) for head, deprel in record["given"]]
        if do == "do":
            self._past.append(record)
            self._future.clear()
        elif do == "undo":
            self._future.append(self._past.pop())
        else:
            self._past.append(self._future.pop())
        self._trees[number] = EditedTree.of(record["before" if do == "undo" else "after"])
        self._versions[number] += 1

    def _columns(self) -> dict[int, Columns]:
        """What is written: the trees of sentences that are confirmed, and what there was before of
        those that are not any more."""
        return {
            number: self._trees[number].columns if self._trees[number].done else given
            for number, given in self._given.items()
        }

    def _tree(self, number: Any) -> EditedTree:
        """The tree of a sentence; at first that of the file, completed by the parser."""
        if not (isinstance(number, int) and 0 <= number < len(self.file.sentences)):
            raise RequestError("There is no such sentence.")
        if number not in self._trees:
            sentence = self.file.sentences[number]
            tree = EditedTree(sentence.heads[1:], tuple(row.deprel for row in sentence.words))
            if NO_HEAD in tree.heads or EMPTY in tree.labels:
                found = self._parse(sentence)
                tree = EditedTree(found.heads, found.labels, _given_words(sentence))
            self._trees[number] = tree
        return self._trees[number]

    def _changed(self, number: int, tree: EditedTree, given: Mapping[str, Any]) -> EditedTree:
        n, word, do = len(tree.heads), given.get("word"), given.get("do")
        if do == "confirm":
            return tree.confirm(range(1, n + 1), done=True)
        if not (isinstance(word, int) and 1 <= word <= n):
            raise RequestError("There is no such word.")
        if do == "read":
            return tree.confirm(range(1, word + 1), done=tree.done)
        known = {one: tree.columns[one - 1] for one in tree.confirmed}
        head, label = given.get("head"), given.get("label")
        if do == "head" and isinstance(head, int) and 0 <= head <= n and head != word:
            known[word] = (str(head), EMPTY)
        elif do == "label" and isinstance(label, str) and label.split() == [label]:
            known[word] = (str(tree.heads[word - 1]), label)
        else:
            raise RequestError("There is no such change.")
        sentence = self.file.sentences[number]
        rows = []
        for row in sentence.rows:
            if row.id.isdigit():
                head, deprel = known.get(int(row.id), (EMPTY, EMPTY))
                row = row._replace(head=head, deprel=deprel)
            rows.append(row)
        found = self._parse(make_sentence(rows, sentence.metadata, sentence.comments))
        return replace(tree, heads=found.heads, labels=found.labels).confirm([word], tree.done)

    def _parse(self, sentence: Sentence) -> _Parsed:
        """Parse a sentence whose tree is partial."""
        constraints = constraints_of_sentence(sentence, self._parser_labels)
        found: list[_Parsed]
        found = self._pipeline.submit([_Partial(sentence, constraints)]).result(_ANSWER)
        return found[0]

    def _shown(self, number: Any, width: float, before: EditedTree | None = None) -> dict[str, Any]:
        tree = self._tree(number)
        sentence = self.file.sentences[number]
        if uncut_tokens(sentence):
            self._likely[number] = [{} for _ in sentence.words]
        elif number not in self._likely:
            self._likely[number] = self._parse(
                parse_sentence(without_annotation(sentence).split("\n"))
            ).likely
        old = tree if before is None else before
        arcs = list(zip(tree.heads, tree.labels, strict=True))
        words = [
            {
                "form": row.form,
                "head": head,
                "label": label,
                "confirmed": word in tree.confirmed,
                "changed": (head, label) != (old.heads[word - 1], old.labels[word - 1]),
                "probability": round(likely.get(head, 0.0), 4),
                "likely": list(likely),
            }
            for word, (row, (head, label), likely) in enumerate(
                zip(sentence.words, arcs, self._likely[number], strict=True), 1
            )
        ]
        forms = [row.form for row in sentence.words]
        tags = [row.upos for row in sentence.words]
        return {
            **self._summary(number),
            "version": self._versions[number],
            "words": words,
            "undo": len(self._past),
            "redo": len(self._future),
            "svg": draw(forms, tree.heads, tree.labels, tags, width),
        }


def _given_words(sentence: Sentence) -> tuple[int, ...]:
    """The words whose heads a sentence gives, if it does not give all."""
    words = tuple(word for word, head in enumerate(sentence.heads) if head != NO_HEAD)
    return words if len(words) < len(sentence.words) else ()
