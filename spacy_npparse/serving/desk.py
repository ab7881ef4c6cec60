"""The desk, where a person corrects a treebank and the parser adapts the other arcs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_npparse.annotation.posteriors import encode_sentences, parser_of
from spacy_npparse.components import constraints_of_sentence, set_given_labels
from spacy_npparse.serving.pipelines import Piece, RequestError, ServedPipeline
from spacy_npparse.serving.treebank_file import TreebankFile, TreebankFileError
from spacy_npparse.treebank import Sentence, unannotated_doc
from spacy_npparse.treebank.contraction import uncut_tokens
from spacy_npparse.treebank.rows import make_sentence
from spacy_npparse.treebank.sentence import EMPTY, SPACY_ROOT, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.trees.picture import render_tree_svg

# Seconds that parsing a sentence may take.
_ANSWER = 60.0
# Less probable heads are not proposed.
_IMPROBABLE = 0.001


class TreeChange(BaseModel):
    """A change of a tree: undo or redo the last change, confirm all words, confirm a word and those
    before it ("read"), or change the head or the label of a word."""

    do: Literal["undo", "redo", "confirm", "read", "head", "label"]
    word: int = Field(1, ge=1)
    head: int = Field(0, ge=0)
    label: str = Field("", pattern=r"^\S+$")


@dataclass(frozen=True)
class EditedTree:
    """The tree of a sentence, and the words whose arcs a person has confirmed.

    Attributes:
        heads: The head of each word: 1..n, or 0 for the root.
        labels: The label of the arc to each word.
        confirmed: The confirmed words, counted from 1.
        done: Whether the whole sentence is confirmed.
    """

    heads: Sequence[int]
    labels: Sequence[str]
    confirmed: Sequence[int] = ()
    done: bool = False

    @property
    def arcs(self) -> list[tuple[int, str]]:
        """The head and the label of each word."""
        return list(zip(self.heads, self.labels, strict=True))

    def confirm(self, words: Sequence[int], done: bool = False) -> EditedTree:
        """Return the tree with more confirmed words."""
        return replace(self, confirmed=sorted({*self.confirmed, *words}), done=done)


class Desk:
    """A treebank that a person corrects, one change at a time.

    Args:
        path: The CoNLL-U file of the treebank.
        pipeline: A pipeline with one parser, which first scores the heads of all sentences.

    Attributes:
        file: The treebank.
        labels: The labels that a person can choose from.

    Raises:
        PosteriorError: The pipeline has no parser that computes probabilities of all heads.
        TreebankFileError: The file or its journal cannot be used.
    """

    def __init__(self, path: Path, pipeline: ServedPipeline) -> None:
        parser = parser_of(pipeline.nlp)
        self.file = TreebankFile(path)
        sentences = self.file.sentences
        known = {row.deprel for sentence in sentences for row in sentence.words}
        self.labels = sorted({*parser.label_data, UD_ROOT, *known} - {EMPTY})
        self._parser_labels = parser.labels
        self._pipeline = pipeline
        self._lock = Lock()
        self._trees: dict[int, EditedTree] = {}
        self._past: list[dict[str, Any]] = []
        self._future: list[dict[str, Any]] = []
        for record in self.file.changes:
            self._apply(record)
        self._write()
        if self._problem:
            raise TreebankFileError(self._problem)
        self._probabilities = [np.zeros((len(one.words), len(one.words) + 1)) for one in sentences]
        can_be_parsed = (i for i, one in enumerate(sentences) if not uncut_tokens(one))
        for batch in minibatch(can_be_parsed, pipeline.nlp.batch_size):
            found = encode_sentences(pipeline.nlp, [sentences[i] for i in batch]).heads()
            for number, probabilities in zip(batch, found, strict=True):
                self._probabilities[number] = probabilities.copy()

    def overview(self) -> list[dict[str, Any]]:
        """Summarise all sentences: how many words are confirmed, and the mean probability that the
        head of another word is wrong."""
        return [self._summary(number) for number in range(len(self.file.sentences))]

    def show(self, number: int, width: float) -> dict[str, Any]:
        """Describe a sentence for the page.

        Args:
            number: The number of the sentence, counted from 0.
            width: The width of the drawing in px.

        Raises:
            RequestError: There is no such sentence.
        """
        with self._lock:
            tree, sentence = self._tree(number), self.file.sentences[number]
            words = [
                {
                    "form": row.form,
                    "head": head,
                    "label": label,
                    "confirmed": word in tree.confirmed,
                    "probability": float(found[head]),
                    "likely": np.argsort(-found)[: np.sum(found > _IMPROBABLE)].tolist(),
                }
                for word, (row, (head, label), found) in enumerate(
                    zip(sentence.words, tree.arcs, self._probabilities[number], strict=True), 1
                )
            ]
            forms, tags = zip(*((row.form, row.upos) for row in sentence.words), strict=True)
            return {
                **self._summary(number),
                "words": words,
                "svg": render_tree_svg(forms, tree.heads, tree.labels, tags=tags, width=width),
                "undo": bool(self._past),
                "redo": bool(self._future),
                "problem": self._problem,
            }

    def change(self, number: int, change: TreeChange) -> int:
        """Change a tree.

        Args:
            number: The number of the sentence that the page shows.
            change: The change.

        Returns:
            The number of the sentence that has changed.

        Raises:
            RequestError: There is no such arc, or nothing to undo or redo.
            ConstraintError: No tree contains all confirmed arcs.
            WriteError: The journal cannot be written.
        """
        with self._lock:
            if change.do in ("undo", "redo"):
                changes = self._past if change.do == "undo" else self._future
                if not changes:
                    raise RequestError(f"There is nothing to {change.do}.")
                record = {**changes[-1], "do": change.do}
            else:
                before = self._tree(number)
                after = self._changed(number, before, change)
                record = {"do": "do", "sentence": number}
                record |= {"before": asdict(before), "after": asdict(after)}
            self.file.append(record)
            self._apply(record)
            self._write()
            return int(record["sentence"])

    def _apply(self, record: dict[str, Any]) -> None:
        """Apply a change from the journal."""
        do = record["do"]
        if do == "do":
            self._past.append(record)
            self._future.clear()
        elif do == "undo":
            self._future.append(self._past.pop())
        else:
            self._past.append(self._future.pop())
        tree = EditedTree(**record["before" if do == "undo" else "after"])
        self._trees[record["sentence"]] = tree

    def _write(self) -> None:
        """Write the file. If this fails, the page shows the error until it succeeds."""
        self._problem = ""
        try:
            self.file.write({n: tree.arcs for n, tree in self._trees.items() if tree.done})
        except (TreebankFileError, OSError) as error:
            self._problem = str(error)

    def _summary(self, number: int) -> dict[str, Any]:
        sentence, probabilities = self.file.sentences[number], self._probabilities[number]
        tree = self._trees.get(number) or _tree_of_file(sentence)
        # A missing head counts as the most probable one.
        of_heads = [
            row.max() if head == NO_HEAD else row[head]
            for row, head in zip(probabilities, tree.heads, strict=True)
        ]
        rest = np.delete(of_heads, [word - 1 for word in tree.confirmed])
        return {
            "number": number,
            "sent_id": sentence.sent_id or str(number + 1),
            "text": sentence.metadata.get("text") or " ".join(row.form for row in sentence.words),
            "length": len(sentence.words),
            "confirmed": len(tree.confirmed),
            "done": tree.done,
            "doubt": float(1.0 - rest.mean()) if len(rest) else 0.0,
        }

    def _tree(self, number: int) -> EditedTree:
        """Return the current tree; at first, that of the file, completed by the parser."""
        if not 0 <= number < len(self.file.sentences):
            raise RequestError("There is no such sentence.")
        if number not in self._trees:
            sentence = self.file.sentences[number]
            tree = _tree_of_file(sentence)
            if NO_HEAD in tree.heads or EMPTY in tree.labels:
                tree = self._parse(sentence).confirm(tree.confirmed)
            self._trees[number] = tree
        return self._trees[number]

    def _changed(self, number: int, tree: EditedTree, change: TreeChange) -> EditedTree:
        n, word = len(tree.heads), change.word
        is_loop, is_unnamed = change.head == word, not change.label
        if max(word, change.head) > n or {"head": is_loop, "label": is_unnamed}.get(change.do):
            raise RequestError("There is no such arc.")
        if change.do == "label" and (tree.heads[word - 1] == 0) != (change.label == UD_ROOT):
            raise RequestError("A word has the label root if and only if its head is the root.")
        if change.do == "confirm":
            return tree.confirm(range(1, n + 1), done=True)
        if change.do == "read":
            return tree.confirm(range(1, word + 1), done=tree.done)
        known = {one: tree.arcs[one - 1] for one in tree.confirmed}
        is_head = change.do == "head"
        known[word] = (change.head, EMPTY) if is_head else (tree.heads[word - 1], change.label)
        sentence = self.file.sentences[number]
        rows = []
        for row in sentence.rows:
            if row.id.isdigit():
                head, label = known.get(int(row.id), (EMPTY, EMPTY))
                row = row._replace(head=str(head), deprel=label)
            rows.append(row)
        found = self._parse(make_sentence(rows, sentence.metadata, sentence.comments))
        return found.confirm([*tree.confirmed, word], tree.done)

    def _parse(self, sentence: Sentence) -> EditedTree:
        """Parse a sentence, keeping the arcs that it has."""
        constraints = constraints_of_sentence(sentence, self._parser_labels)

        def prepare(nlp: Language) -> Doc:
            doc = unannotated_doc([sentence], nlp.vocab, sentence_starts=True)
            return constraints.attach(doc)

        def read(doc: Doc) -> EditedTree:
            set_given_labels(doc, sentence)
            heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
            labels = [UD_ROOT if token.dep_ == SPACY_ROOT else token.dep_ for token in doc]
            return EditedTree(heads, labels)

        piece = Piece(len(sentence.text), prepare, read)
        found: EditedTree = self._pipeline.submit(piece).result(_ANSWER)
        return found


def _tree_of_file(sentence: Sentence) -> EditedTree:
    """Read the tree of a sentence in the file. The arcs of a partial tree count as confirmed."""
    heads = sentence.heads[1:]
    given = [word for word, head in enumerate(heads, 1) if head != NO_HEAD]
    labels = [row.deprel for row in sentence.words]
    return EditedTree(heads, labels, given if len(given) < len(heads) else ())
