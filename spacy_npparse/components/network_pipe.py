"""Between the Docs of a component and its network: vectors, scores, and the losses of single
decisions."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.tokens import Doc
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.encoders import REMEDY, SharedEncoders
from spacy_npparse.components.gold import GoldBatch, GoldBoundaries
from spacy_npparse.components.head_targets import HeadTargets
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.tree_pipe import TreePipe
from spacy_npparse.models.parser_net import ParserNet, take
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.trees.missing import NO_HEAD

NetT = TypeVar("NetT", bound=ParserNet)


class NetworkPipe(TreePipe, Generic[NetT]):
    """A component that scores sentence starts, arcs and labels with a network.

    Attributes:
        net_class: The class of the network.
        model: See `spacy_npparse.Parser.v1`.
        encoders: Those that the component has learnt to listen to.
    """

    net_class: type[NetT]
    model: Model
    encoders: SharedEncoders

    def encode(self, docs: Sequence[Doc]) -> Tensor:
        """Encode Docs.

        Args:
            docs: The Docs.

        Returns:
            Vectors of all tokens and, last, of the root: [n_tokens + 1, width].

        Raises:
            ValueError: If Docs lack the vectors of a shared encoder, or have those of another one.
        """
        net = self._net
        if not any(map(len, docs)):
            # Not all encoders can encode nothing.
            return net.root[None]
        self.encoders.check(self.name, self.model, docs)
        vectors = self.model.predict(docs)
        if vectors.shape[1] != len(net.root):
            raise ValueError(
                f"{self.name}: vectors have a width of {vectors.shape[1]}, but it was trained with "
                f"one of {len(net.root)}: they are of another encoder. {REMEDY}"
            )
        return net.with_root(vectors)

    def start_scores(
        self, vectors: Tensor, before: NDArray[np.int64], after: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Score the boundaries between adjacent words.

        Args:
            vectors: What `encode` returns.
            before: int64 [n], the last token of the sentence that would end.
            after: int64 [n], the first token of the one that would start.

        Returns:
            Log-odds of the boundaries: [n].
        """
        words = (torch.from_numpy(side).to(vectors.device) for side in (before, after))
        scores = self._net.score_starts(vectors, *words)
        return scores.cpu().double().numpy()

    def arc_scores(self, vectors: Tensor, sentences: SentenceBatch) -> NDArray[np.float32]:
        """Score all arcs by themselves.

        Args:
            vectors: What `encode` returns.
            sentences: Of the same Docs.

        Returns:
            Log-probabilities of heads, see `ParserNet.score_arcs`.
        """
        return self._net.score_arcs(*self._rows(vectors, sentences)).cpu().numpy()

    def label_scores(
        self, vectors: Tensor, sentences: SentenceBatch, heads: NDArray[np.int32]
    ) -> NDArray[np.float32]:
        """Score the labels of all arcs of some trees, those from the root excluded.

        Args:
            vectors: What `encode` returns.
            sentences: Of the same Docs.
            heads: int32 [n_words], in the sentence.

        Returns:
            Log-probabilities: [n_arcs, n_labels].
        """
        rows, _ = self._rows(vectors, sentences)
        scores = self._score_labels(rows, sentences, heads, heads > 0)
        return scores.log_softmax(dim=1).cpu().numpy()

    @property
    def _shim(self) -> TorchShim[NetT]:
        return torch_shim(self.model, self.net_class)

    @property
    def _net(self) -> NetT:
        return self._shim.net

    def _rows(self, vectors: Tensor, sentences: SentenceBatch) -> tuple[Tensor, Tensor]:
        """Vectors of the rows of sentences and the lengths of these, on the model's device.
        vectors: of all tokens and the root."""
        tokens = torch.from_numpy(sentences.tokens).to(vectors.device)
        lengths = torch.from_numpy(sentences.lengths).to(vectors.device).long()
        return take(vectors, tokens), lengths

    def _predict_labels(
        self,
        rows: Tensor,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        allowed: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """The best labels of all words, NO_HEAD for the root's. allowed: bool [n_words, n_labels],
        None if all are."""
        labels = np.full(len(heads), NO_HEAD)
        arcs = heads > 0
        scores = self._score_labels(rows, sentences, heads, arcs)
        if allowed is not None:
            forbidden = torch.from_numpy(~allowed[arcs]).to(scores.device)
            scores = scores.nan_to_num().masked_fill(forbidden, -torch.inf)
        labels[arcs] = scores.argmax(dim=1).cpu().numpy()
        return labels

    def _score_labels(
        self,
        rows: Tensor,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        arcs: NDArray[np.bool_],
    ) -> Tensor:
        """Scores of all labels, [arcs.sum(), n_labels], for the arcs of some words. heads: int32
        [n_words], in the sentence; arcs: bool [n_words], which of them."""
        head_rows = (sentences.roots + heads)[arcs]
        return self._net.score_labels(
            rows,
            torch.from_numpy(head_rows).to(rows.device),
            torch.from_numpy(sentences.rows[arcs]).to(rows.device),
        )

    def _head_selection_loss(self, vectors: Tensor, runs: GoldBatch) -> Tensor:
        """Cross-entropy of each head among all words around, of other sentences too: from these
        the search for boundaries learns which arcs would cross one."""
        rows, lengths = self._rows(vectors, runs.sentences)
        return self._head_loss(self._net.score_arcs(rows, lengths), lengths, runs)

    def _head_loss(self, log_probabilities: Tensor, lengths: Tensor, gold: GoldBatch) -> Tensor:
        """Cross-entropy of heads, given log-probabilities as those of `ParserNet.score_arcs`."""
        targets = gold.targets or HeadTargets.of_tree(gold.heads)
        heads, weights = (torch.from_numpy(part).to(lengths.device) for part in targets)
        return self._net.head_selection_loss(log_probabilities, lengths, heads.long(), weights)

    def _boundary_loss(self, vectors: Tensor, gold: GoldBoundaries) -> Tensor:
        """Negative log-likelihood of the boundaries. vectors: of all tokens."""
        before, after = (torch.from_numpy(side).to(vectors.device) for side in gold[:2])
        starts = torch.from_numpy(gold.is_start).to(vectors)
        return torch.nn.functional.binary_cross_entropy_with_logits(
            self._net.score_starts(vectors, before, after), starts, reduction="sum"
        )

    def _label_loss(self, rows: Tensor, gold: GoldBatch) -> Tensor:
        known = gold.labels >= 0
        scores = self._score_labels(rows, gold.sentences, gold.heads, known)
        targets = torch.from_numpy(gold.labels[known]).to(rows.device)
        return torch.nn.functional.cross_entropy(scores, targets, reduction="sum")

    def _check_finite(self, loss: Tensor, vectors: Tensor) -> None:
        """Raise ValueError if the loss is not finite: its gradient would destroy the weights.
        vectors: of the tokens."""
        if loss.isfinite():
            return
        cause = "" if vectors.isfinite().all() else ", because the vectors of its encoder are not"
        raise ValueError(
            f"{self.name}: the loss of a batch is {float(loss.detach())} and not finite{cause}. "
            "Training stops, and the weights remain as they are: lower "
            "training.optimizer.learn_rate, or training.optimizer.grad_clip if weights grew before."
        )
