"""The editor, where a person corrects a treebank and the parser adapts the other arcs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field, field_validator
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_npparse.annotation.posteriors import encode_sentences, parser_of
from spacy_npparse.components import constraints_of_sentence, set_given_labels
from spacy_npparse.serving.pipelines import Piece, RequestError, ServedPipeline
from spacy_npparse.serving.treebank_file import TreebankFile, TreebankFileError
from spacy_npparse.treebank import (
    Kept,
    Sentence,
    keep_annotation,
    parse_sentence,
    sentences_from_doc,
    unannotated_doc,
)
from spacy_npparse.treebank.contraction import uncut_tokens
from spacy_npparse.treebank.rows import make_sentence
from spacy_npparse.treebank.sentence import EMPTY, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.trees.picture import render_sentence_svg

# The number of heads that are proposed for a word.
_LIKELY = 10


class TreeChange(BaseModel):
    """A change of a tree: undo or redo the last change, confirm a word and those before it, or
    change the head or the label of a word.

    `shown` has the head and the label of each word in the tree that the page shows, and `n_changes`
    the number of changes of all trees that it knows.
    """

    do: Literal["undo", "redo", "confirm", "head", "label"]
    word: int = Field(1, ge=1)
    head: int = Field(0, ge=0)
    label: str = EMPTY
    shown: list[tuple[int, str]] | None = None
    n_changes: int | None = None

    @field_validator("label")
    @classmethod
    def _check_label(cls, label: str) -> str:
        if not label or " " in label or not label.isprintable():
            raise ValueError("Give a label without white space and control characters.")
        return label


@dataclass(frozen=True)
class EditedTree:
    """The tree of a sentence, and the words whose arcs a person has confirmed.

    Attributes:
        conllu: The sentence with this tree, as CoNLL-U.
        confirmed: The confirmed words, counted from 1.
    """

    conllu: str
    confirmed: Sequence[int]

    @cached_property
    def sentence(self) -> Sentence:
        """The sentence with this tree."""
        return parse_sentence(self.conllu.split("\n"))

    @property
    def arcs(self) -> list[tuple[int, str]]:
        """The head and the label of each word."""
        return [(int(row.head), row.deprel) for row in self.sentence.words]

    @property
    def done(self) -> bool:
        """Whether all words are confirmed."""
        return len(self.confirmed) == self.sentence.n_words


class Editor:
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
        roots = {row.deprel for one in sentences for row in one.words if row.head == "0"}
        self._root_labels = sorted({UD_ROOT, *roots} - {EMPTY})
        self._pipeline = pipeline
        self._lock = Lock()
        self._trees = list(map(_tree_of_file, sentences))
        # Changes as in the journal, and the number of those that have not been undone.
        self._changes: list[dict[str, Any]] = []
        self._n_made = 0
        for record in self.file.changes:
            self._apply(record)
        self._write()
        self._problem = ""
        # Sentences that cannot be parsed count as certain, so that they are last in the list.
        self._probabilities = [np.ones((one.n_words, one.n_words + 1)) for one in sentences]
        can_be_parsed = (i for i, one in enumerate(sentences) if not uncut_tokens(one))
        for batch in minibatch(can_be_parsed, pipeline.nlp.batch_size):
            found = encode_sentences(pipeline.nlp, [sentences[i] for i in batch]).heads()
            for number, probabilities in zip(batch, found, strict=True):
                self._probabilities[number] = probabilities.copy()

    def overview(self) -> list[dict[str, Any]]:
        """Summarise all sentences: how many words are confirmed, and the mean probability that the
        head of another word is wrong."""
        return [self._summary(number) for number in range(len(self._trees))]

    def show(self, number: int, width: float) -> dict[str, Any]:
        """Describe a sentence for the page.

        Args:
            number: The number of the sentence, counted from 0.
            width: The width of the drawing in px.

        Raises:
            RequestError: There is no such sentence.
        """
        with self._lock:
            tree, given = self._tree(number), self._head_probabilities(number)
            columns = zip(tree.sentence.words, self._probabilities[number], given, strict=True)
            words = [
                {
                    "form": row.form,
                    "head": int(row.head),
                    "label": row.deprel,
                    "confirmed": int(row.id) in tree.confirmed,
                    "probability": probability,
                    "likely": np.argsort(-found)[:_LIKELY].tolist(),
                }
                for row, found, probability in columns
            ]
            svg = render_sentence_svg(tree.sentence, width, probabilities=given)
            shown = {"words": words, "svg": svg, "n_changes": self._n_made}
            return {**self._summary(number), **shown, "problem": self._problem}

    def change(self, number: int, change: TreeChange) -> int:
        """Change a tree.

        Args:
            number: The number of the sentence that the page shows.
            change: The change.

        Returns:
            The number of the sentence that has changed.

        Raises:
            RequestError: There is no such word, nothing to undo or redo, or another page has
                changed what this one shows.
            DocError: There is no such head, or the confirmed arcs form a cycle.
            ConstraintError: No other tree contains all confirmed arcs.
            WriteError: The journal cannot be written.
        """
        with self._lock:
            if change.do in ("undo", "redo"):
                place = self._n_made - (change.do == "undo")
                if not 0 <= place < len(self._changes):
                    raise RequestError(f"There is nothing to {change.do}.")
                if change.n_changes not in (None, self._n_made):
                    raise RequestError(
                        f"Another tab has changed a tree. To {change.do}, repeat it."
                    )
                record = {**self._changes[place], "do": change.do}
            else:
                before = self._tree(number)
                if change.shown not in (None, before.arcs):
                    raise RequestError("Another tab has changed this tree. Check it again.")
                trees = {"before": asdict(before), "after": asdict(self._changed(before, change))}
                record = {"do": "do", "sentence": number, **trees}
            self.file.append(record)
            self._apply(record)
            # If the file cannot be written, the page shows the error until it can.
            try:
                self._write()
                self._problem = ""
            except (TreebankFileError, OSError) as error:
                self._problem = str(error)
            return int(record["sentence"])

    def _apply(self, record: dict[str, Any]) -> None:
        """Apply a change from the journal."""
        if record["do"] == "do":
            self._changes[self._n_made :] = [record]
        undone = record["do"] == "undo"
        self._n_made += -1 if undone else 1
        self._trees[record["sentence"]] = EditedTree(**record["before" if undone else "after"])

    def _write(self) -> None:
        """Write the confirmed sentences to the file."""
        self.file.write({n: tree.sentence for n, tree in enumerate(self._trees) if tree.done})

    def _summary(self, number: int) -> dict[str, Any]:
        tree = self._trees[number]
        sentence = tree.sentence
        rest = np.delete(self._head_probabilities(number), [word - 1 for word in tree.confirmed])
        doubt = float(1.0 - rest.mean()) if len(rest) else 0.0
        state = f"{len(tree.confirmed)}/{sentence.n_words}, rest {100 * doubt:.0f} % doubtful"
        return {
            "number": number,
            "sent_id": sentence.sent_id or str(number + 1),
            "text": sentence.metadata.get("text") or " ".join(row.form for row in sentence.words),
            "length": sentence.n_words,
            "confirmed": len(tree.confirmed),
            "done": tree.done,
            "doubt": doubt,
            "state": "✓ confirmed" if tree.done else state,
        }

    def _head_probabilities(self, number: int) -> list[float]:
        """Return the probability of each head. A missing one counts as the most probable one."""
        heads = self._trees[number].sentence.heads[1:]
        rows = zip(self._probabilities[number], heads, strict=True)
        return [float(row.max() if head == NO_HEAD else row[head]) for row, head in rows]

    def _tree(self, number: int) -> EditedTree:
        """Return the current tree; at first, that of the file, completed by the parser."""
        if not 0 <= number < len(self._trees):
            raise RequestError("There is no such sentence.")
        tree = self._trees[number]
        if any(EMPTY in (row.head, row.deprel) for row in tree.sentence.words):
            tree = self._trees[number] = replace(tree, conllu=self._parse(tree.sentence))
        return tree

    def _changed(self, tree: EditedTree, change: TreeChange) -> EditedTree:
        if change.word > tree.sentence.n_words:
            raise RequestError("There is no such word.")
        head = change.head if change.do == "head" else tree.sentence.heads[change.word]
        if head == 0 and change.label not in (*self._root_labels, EMPTY):
            raise RequestError(f"Roots have one of the labels: {', '.join(self._root_labels)}.")
        if head != 0 and change.label == UD_ROOT:
            raise RequestError(f"Only roots have the label {UD_ROOT!r}.")
        confirmed = {*tree.confirmed, change.word}
        if change.do == "confirm":
            return EditedTree(tree.conllu, sorted({*confirmed, *range(1, change.word)}))
        return EditedTree(self._parse(_confirmed_part(tree, change)), sorted(confirmed))

    def _parse(self, sentence: Sentence) -> str:
        """Complete the tree of a sentence, keeping the arcs that it has."""
        constraints = constraints_of_sentence(sentence, parser_of(self._pipeline.nlp).labels)

        def prepare(nlp: Language) -> Doc:
            return constraints.attach(unannotated_doc([sentence], nlp.vocab))

        def read(doc: Doc) -> str:
            keep_annotation(set_given_labels(doc, sentence), [sentence], [*Kept])
            [found] = sentences_from_doc(doc)
            return str(found)

        return self._pipeline.submit(Piece(len(sentence.text), prepare, read)).result()


def _tree_of_file(sentence: Sentence) -> EditedTree:
    """Read the tree of a sentence in the file. The arcs of a partial tree count as confirmed."""
    given = [word for word, head in enumerate(sentence.heads) if head != NO_HEAD]
    return EditedTree(str(sentence), given if len(given) < sentence.n_words else ())


def _confirmed_part(tree: EditedTree, change: TreeChange) -> Sentence:
    """Make the partial tree of the confirmed arcs and the changed one."""
    rows = []
    for row in tree.sentence.rows:
        if row.id == str(change.word):
            head = str(change.head) if change.do == "head" else row.head
            row = row._replace(head=head, deprel=change.label)
        elif row.id.isdigit() and int(row.id) not in tree.confirmed:
            row = row._replace(head=EMPTY, deprel=EMPTY)
        rows.append(row)
    return make_sentence(rows, tree.sentence.metadata, tree.sentence.comments)
