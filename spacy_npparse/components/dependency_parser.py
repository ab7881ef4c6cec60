"""What all parsers share: the spaCy component that gives every sentence a labelled tree."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Generic

import numpy as np
import torch
from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate
from torch import Tensor

from spacy_npparse.components.annotation import register_extensions
from spacy_npparse.components.calibrated_pipe import Temperatures
from spacy_npparse.components.derivations import GoldTree, gold_trees
from spacy_npparse.components.encoders import SharedEncoders
from spacy_npparse.components.gold import GoldBatch, gold_boundaries
from spacy_npparse.components.labels import Labels, collect_labels
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.components.predicting_pipe import PredictingPipe
from spacy_npparse.components.rehearsal import check_rehearsable, rehearsal_examples
from spacy_npparse.components.segmentation import WINDOW, SentenceFinder
from spacy_npparse.components.sentences import SentenceBatch, split_sentences
from spacy_npparse.components.settings import DecoderSettings, Sentences, check_labels
from spacy_npparse.transitions import Decisions, Derivation, parser_derivation

logger = logging.getLogger(__name__)


class DependencyParser(PredictingPipe[NetT], Generic[NetT]):
    """Finds the sentences of a Doc and parses them.

    Each sentence gets a tree with exactly one root. Boundaries that the Doc has, of either kind,
    are kept. Those that it leaves open are found together with the heads of the words, see
    `spacy_npparse.decoding.sentences.search`; without that, open means that there is none. A
    subclass supplies the search, the loss of unlabelled trees, and the class of the network.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        system_name: Of the component's factory, without `_parser`.
        sentences: "joint" to find open sentence boundaries, or "preset".
        decoder: What is asked of the search.
        fixed: Settings, by name, that a trained model cannot be loaded without;
            "pseudo_projective" is one of them.
        scorer: Computes the scores of `nlp.evaluate`.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        system_name: str,
        sentences: Sentences,
        decoder: DecoderSettings,
        fixed: Mapping[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        self.vocab = vocab
        self.model = model
        self.name = name
        self.system_name = system_name
        self.sentences = sentences
        self.decoder = decoder
        self.scorer = scorer
        self.cfg: dict[str, Any] = {
            "labels": [],
            "system": system_name,
            "decorated": [],
            **fixed,
        }
        self.temperatures = Temperatures()
        self._fixed = dict(fixed)
        self._rehearsal_model = None
        self._labels = Labels(self.cfg, vocab.strings)
        self._shim.use_net(self.net_class)
        self.encoders = SharedEncoders()
        self._finder = SentenceFinder(name)
        register_extensions()

    def _begin_training(self, gold: Iterable[GoldBatch]) -> None:
        """Reset counters, and warn of gold trees that the parser cannot learn from. All gold trees
        have to be read: those that cannot be raise ValueError."""
        for _ in gold:
            pass

    def _derive(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Decisions:
        """Find the highest-scoring derivation of the only sentence. Arguments as in `_search`."""
        raise ValueError(
            f"{self.name}: {self.system_name}_parser finds trees without transitions, so there are "
            "no derivations. Take a parser with a transition system."
        )

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        """The loss of unlabelled gold trees. Arguments as in `_search`."""
        raise NotImplementedError

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Collect the labels and build the model, with new weights.

        Labels that have been added before remain.

        Args:
            get_examples: Returns the training data. All of it is read for the labels, unless they
                are given, for those of a pseudo-projective encoding, and to count the trees that
                the parser cannot learn from.
            nlp: The pipeline.
            labels: The arc labels, without the root's.

        Raises:
            ValueError: If there is not one example, or if one has other labels than those given or
                heads that form a cycle. If the labels given are empty, or not different, or have
                the root's among them.
        """
        if labels is not None:
            check_labels(self.name, labels)
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        collect_labels(self.cfg, self.vocab.strings, get_examples, labels)
        self._labels = Labels(self.cfg, self.vocab.strings)
        self.temperatures = Temperatures()
        sample = [eg.predicted for eg in islice(get_examples(), 10)]
        if not sample:
            raise ValueError(Errors.E923.format(name=self.name))
        n_labels = len(self.cfg["labels"]) + len(self.cfg["decorated"])
        sizes = {"n_labels": n_labels, "finds_sentences": self.sentences == "joint"}
        self.model.initialize(X=sample, Y={**self._net_sizes(), **sizes})
        gold = (self._labels.gold(batch) for batch in minibatch(get_examples(), 256))
        self._begin_training(gold if self.sentences == "preset" else self._with_boundaries(gold))

    def _with_boundaries(self, gold: Iterable[GoldBatch]) -> Iterator[GoldBatch]:
        """The gold trees, and in the end a warning if no Doc has several sentences."""
        n_within = 0
        for batch in gold:
            n_within += int((np.diff(batch.docs) == 0).sum())
            yield batch
        if n_within == 0:
            logger.warning(
                "%s: no Doc of the training data has several sentences, so that the parser learns "
                "that no text has. Train on longer Docs (spacy_npparse.ConlluCorpus.v1 with "
                'sentences_per_doc = 0, for example), or set sentences = "preset".',
                self.name,
            )

    def derivations(
        self, doc: Doc, *, gold: Doc | None = None, oracle: str | None = None
    ) -> list[Derivation]:
        """Derive the tree of each sentence with words, keeping the scores of all transitions.

        Pseudo-projective trees are shown as they are built, with decorated labels. Constraints on
        the Doc do not count here.

        Args:
            doc: With the sentence boundaries that are known, and with what the encoder needs, if it
                is shared.
            gold: The same tokens with gold trees, for the costs of transitions.
            oracle: Whose costs; by default the oracle of training.

        Returns:
            The derivations, in the order of the sentences.

        Raises:
            ValueError: If the parser builds trees without transitions, the tokens of the two Docs
                differ, gold heads form a cycle, or the transition system has no such oracle.
        """
        found = []
        with torch.no_grad():
            vectors = self.encode([doc])
            sentences = split_sentences(self._segment([doc], vectors))
            slices = sentences.slices()
            trees: list[GoldTree | None] = [None] * len(slices)
            if gold is not None:
                trees = gold_trees(doc, gold, sentences, self._labels)
            for number, (words, tree) in enumerate(zip(slices, trees, strict=True)):
                part = sentences.select(np.arange(len(sentences.lengths)) == number)
                rows, lengths = self._rows(vectors, part)
                decisions = self._derive(rows, lengths, self._net.score_arcs(rows, lengths), part)
                derivation = parser_derivation(
                    [doc[i].text for i in sentences.words[words].tolist()],
                    decisions,
                    gold=tree and tree.heads,
                    gold_labels=tree and tree.labels,
                    oracle=oracle,
                )
                heads = np.array(derivation.heads[1:], dtype=np.int32)
                labels = self._labels.spell(self._predict_labels(rows, part, heads).tolist())
                found.append(replace(derivation, labels=tuple(labels)))
        return found

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the model with a batch.

        Labels that the component does not have are added.

        Args:
            examples: Missing heads and misaligned tokens are masked in the loss.
            drop: Dropout rate of the encoder.
            sgd: Optimizer; without it, gradients are accumulated until `finish_update`.
            losses: Losses by component, which this one is added to.

        Returns:
            The losses.

        Raises:
            ValueError: If gold trees have cycles, or the loss is not finite; no weights have been
                changed then.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(eg.predicted) for eg in examples):
            return losses
        self._add_labels_of(examples)
        set_dropout_rate(self.model, drop)
        vectors, backprop = self.model.begin_update([eg.predicted for eg in examples])
        loss, d_loss = self.get_loss(examples, vectors)
        self._check_finite(d_loss, vectors)
        self.encoders.forget()
        backprop(d_loss)
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the model so that it does not forget what it predicted when `nlp.resume_training`
        was called: with the trees that it would have found then.

        Args:
            examples: Of these, only the predicted Docs are looked at.
            drop: See `update`.
            sgd: See `update`.
            losses: See `update`.

        Returns:
            The losses.

        Raises:
            NotImplementedError: If the model listens to the encoder of another component.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        docs = [eg.predicted for eg in examples]
        if self._rehearsal_model is None:
            return losses
        check_rehearsable(self.model, self.name)
        model, self.model = self.model, self._rehearsal_model
        try:
            parses = self.predict(docs)
        finally:
            self.model = model
        return self.update(rehearsal_examples(docs, parses), drop=drop, sgd=sgd, losses=losses)

    def get_loss(self, examples: Iterable[Example], scores: Tensor) -> tuple[float, Tensor]:
        """Compute the loss of a batch.

        Args:
            examples: The batch.
            scores: What `model.begin_update` or `model.predict` gives for the predicted Docs: the
                vectors of all their tokens, [n_tokens, width]. Scores are computed from these, as
                many of them depend on the gold trees.

        Returns:
            The loss as a number; and as a torch scalar, which `backprop` of `model.begin_update`
            takes.

        Raises:
            ValueError: If the vectors are not those of the Docs, or if gold trees have cycles or
                unknown labels.
        """
        examples = list(examples)
        n_tokens = sum(len(eg.predicted) for eg in examples)
        if not isinstance(scores, Tensor) or len(scores) != n_tokens:
            raise ValueError(
                f"{self.name}: get_loss takes what model.begin_update or model.predict gives for "
                f"the predicted Docs, a vector for each of their {n_tokens} tokens."
            )
        loss = self._batch_loss(examples, scores)
        return float(loss.detach()), loss

    def _batch_loss(self, examples: Sequence[Example], vectors: Tensor) -> Tensor:
        gold = self._labels.gold(examples)
        loss = vectors.new_zeros(())
        boundaries = gold_boundaries(examples)
        if self.finds_sentences and len(boundaries.is_start):
            loss = loss + self._boundary_loss(vectors, boundaries)
        vectors = self._net.with_root(vectors)
        runs = gold.join_sentences(WINDOW)
        for chosen in runs.sentences.parts():
            loss = loss + self._head_selection_loss(vectors, runs.select(chosen))
        for chosen in gold.sentences.parts():
            loss = loss + self._loss(vectors, gold.select(chosen))
        return loss

    def _loss(self, vectors: Tensor, gold: GoldBatch) -> Tensor:
        rows, lengths = self._rows(vectors, gold.sentences)
        arcs = self._net.score_arcs(rows, lengths)
        return self._tree_loss(rows, lengths, arcs, gold) + self._label_loss(rows, gold)

    def _settings_loaded(self) -> None:
        super()._settings_loaded()
        self._labels = Labels(self.cfg, self.vocab.strings)
