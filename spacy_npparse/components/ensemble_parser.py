"""An ensemble parser, which reparses sentences with several trained parsers."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.components.constraints.batch import ConstrainedSentences, read_constraints
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.docs import Parse
from spacy_npparse.components.encoders import encoder_of, listeners
from spacy_npparse.components.prediction import LabelledTrees, ParserPipe, parse_sentences
from spacy_npparse.components.sentence_finder import SentenceFinder
from spacy_npparse.components.settings import EnsembleSettings
from spacy_npparse.decoding import decode_spanning_trees
from spacy_npparse.errors import UserError
from spacy_npparse.models.threads import threads_for
from spacy_npparse.parsing import (
    Confidence,
    EncodedTokens,
    Found,
    ScoredBatch,
    SentenceBatch,
    keep_allowed,
)
from spacy_npparse.parsing.labelling import label_log_probabilities
from spacy_npparse.trees.head_distributions import most_probable_heads

logger = logging.getLogger(__name__)


class EnsembleError(UserError, ValueError):
    """Members that cannot be combined. The message names them and the remedy."""


class EnsembleParser(ParserPipe, Pipe):
    """A component that combines several parsers of the pipeline, which are disabled there.

    The tree is the maximum spanning tree of the members' votes or scores. The label of an arc is
    the one with the highest sum of log-probabilities. Members that listen to the same encoder share
    its output. If all members can find sentences, sentence boundaries are found by their mean
    scores. Constraints on a Doc apply to the tree of the ensemble, and to the tree of each member
    that can build an allowed one.

    Args:
        nlp: The pipeline.
        name: The name of the component in the pipeline.
        settings: The settings of the component. With "votes", each member votes for the arcs of its
            tree, and probabilities break ties. With "scores", the log-probabilities of all arcs are
            added. The confidence in a head is the share of the votes or the mean probability, and
            the confidence in a label is the mean probability.

    Attributes:
        members: The names of other components of the pipeline.
        decoder: The settings of the search.
        keep: Whether heads and labels of a Doc are kept, see `ParserSettings`.

    Source: Sagae and Lavie (2006).
    """

    def __init__(self, nlp: Language, name: str, settings: EnsembleSettings):
        self.nlp = nlp
        self.vocab = nlp.vocab
        self.name = name
        self.scorer = settings.scorer
        self.settings = settings
        self.members = list(settings.members)
        self.decoder = settings.decoder
        self.keep = settings.keep
        self._finder = SentenceFinder(name)
        self._has_warned = False
        self._is_elsewhere = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The arc labels of the members that the pipeline has."""
        labels = [getattr(member, "labels", ()) for member in self._present()]
        return tuple(dict.fromkeys(chain.from_iterable(labels)))

    def report(self) -> None:
        """Warn of sentences that were cut because they were too long, and let the members
        report."""
        self._finder.report()
        for member in self._present():
            if isinstance(member, DependencyParser):
                member.report()

    def _present(self) -> list[Callable[[Doc], Doc]]:
        names = self.nlp.component_names
        return [self.nlp.get_pipe(name) for name in self.members if name in names]

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None
    ) -> None:
        """Check the members, which must be trained already.

        Args:
            get_examples: Ignored.
            nlp: Ignored.

        Raises:
            EnsembleError: The members cannot be combined; see `parsers`.
        """
        self.parsers()

    def parsers(self) -> list[DependencyParser]:
        """Find the members in the pipeline.

        Returns:
            The members, in the order of the settings.

        Raises:
            EnsembleError: A member is missing, is not a parser of this package, or is
                pseudo-projective; or members have different labels or listen to different encoders.
        """
        parsers: list[DependencyParser] = []
        for member in self.members:
            if member not in self.nlp.component_names:
                raise EnsembleError(
                    f"{self.name}: the pipeline has no component {member!r}; it has: "
                    f"{', '.join(self.nlp.component_names)}"
                )
            parser = self.nlp.get_pipe(member)
            if not isinstance(parser, DependencyParser):
                raise EnsembleError(
                    f"{self.name}: {member!r} is not a trained parser of spacy_npparse, and only "
                    "such parsers can be members"
                )
            if not parser.label_set.are_plain:
                raise EnsembleError(f"{self.name}: {member!r} is pseudo-projective; leave it out")
            if parsers and parser.labels != parsers[0].labels:
                different = set(parser.labels) ^ set(parsers[0].labels)
                which = ", ".join(sorted(different)) or "the same ones in another order"
                raise EnsembleError(
                    f"{self.name}: {self.members[0]!r} and {member!r} have different labels "
                    f"({which}); train them on the same treebank"
                )
            parsers.append(parser)
        self._check_encoders(parsers)
        self._warn_of_active_members()
        return parsers

    def _warn_of_active_members(self) -> None:
        active = [member for member in self.members if member in self.nlp.pipe_names]
        if active and not self._has_warned:
            logger.warning(
                "%s: the members %s are not disabled. They set the sentences that all members "
                "should find together. Disable them: nlp.disable_pipes(%s), or nlp.disabled in a "
                "config.",
                self.name,
                ", ".join(active),
                ", ".join(map(repr, active)),
            )
            self._has_warned = True

    def _warn_of_another_pipeline(self, doc: Doc) -> None:
        """Warn if the ensemble is in another pipeline, into which spaCy has sourced it."""
        if doc.vocab is not self.vocab and not self._is_elsewhere:
            logger.warning(
                "%s is sourced from another pipeline without its members. It gets the vectors of "
                "any encoder of this pipeline, and is saved without its members. Source the "
                "encoders and the members (%s), too, and add an ensemble_parser of these.",
                self.name,
                ", ".join(self.members),
            )
            self._is_elsewhere = True

    def _check_encoders(self, parsers: Iterable[DependencyParser]) -> None:
        """Raise EnsembleError if a member that listens gets the vectors of another encoder.

        A component is the same one wherever it is sourced, so that its encoder can be recognised.
        """
        by_kind: dict[type, dict[int, str]] = {}
        for parser in parsers:
            layers = list(listeners(parser.model))
            here = [encoder_of(layer, self.nlp) for layer in layers]
            trained_with = parser.network.encoders.trained_with(parser.model) or here
            for layer, encoder, known in zip(layers, here, trained_with, strict=True):
                listening = f"{parser.name!r} listens to {layer.upstream_name!r}"
                if encoder is None or encoder is not known:
                    raise EnsembleError(
                        f"{self.name}: {listening}, but was trained with another encoder; give "
                        "it an encoder of its own with replace_listeners"
                    )
                others = by_kind.setdefault(type(layer), {})
                others.setdefault(id(encoder), listening)
                if len(others) > 1:
                    raise EnsembleError(
                        f"{self.name}: {' and '.join(others.values())}, but a Doc holds the "
                        "vectors of one encoder only; give members encoders of their own with "
                        "replace_listeners"
                    )

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Check the encoders of the members, which cannot be identified after the pipeline is
        loaded. Nothing is saved.

        Args:
            path: Ignored.
            exclude: Ignored.

        Raises:
            EnsembleError: A member listens to another encoder than it was trained with.
        """
        present = self._present()
        self._check_encoders(parser for parser in present if isinstance(parser, DependencyParser))

    def predict(self, docs: Iterable[Doc]) -> list[Parse]:
        """Parse Docs. Raises EnsembleError if the members cannot be combined, see `parsers`."""
        docs = list(docs)
        if not docs:
            return []
        parsers = self.parsers()
        self._warn_of_another_pipeline(docs[0])
        labels = parsers[0].label_set
        constraints = read_constraints(docs, self.keep, labels.plain)
        with torch.no_grad(), threads_for(sum(map(len, docs))):
            encoded = [parser.network.encode(docs) for parser in parsers]
            joint = all(parser.finds_sentences for parser in parsers)
            is_joint = self.settings.sentences == "joint" and joint
            tokens = self._finder.find(docs, encoded if is_joint else [], constraints)
            parse = partial(self._parse, parsers, encoded)
            strings = self.vocab.strings
            return parse_sentences(tokens, constraints, parse, labels, strings, self.decoder)

    def _parse(
        self,
        parsers: Sequence[DependencyParser],
        encoded: Sequence[EncodedTokens[Any]],
        sentences: SentenceBatch,
        constrained: ConstrainedSentences | None,
    ) -> LabelledTrees:
        """Find the best trees of some sentences, and the confidence of the members in them."""
        scored = [one.score(sentences) for one in encoded]
        evidence, weights = self._weigh_arcs(parsers, scored, constrained)
        heads = decode_spanning_trees(weights, sentences.lengths)
        slices = sentences.slices()
        for number, one in (constrained.by_number if constrained else {}).items():
            if not one.allowed.admits(heads[slices[number]]):
                heads[slices[number]] = one.best_heads(weights[number], self.name)
        scores = np.stack([label_log_probabilities(one, heads) for one in scored])
        allowed = constrained.allowed_labels(sentences) if constrained else None
        labeller = parsers[0].label_set.labeller
        labels = labeller.choose(sentences, heads, scores.mean(axis=0), allowed).labels
        confidence = None
        if self.decoder.confidence:
            of_words = evidence[sentences.sentence, sentences.places]
            of_heads = of_words[range(len(heads)), heads]
            of_labels = np.ones(len(heads), dtype=np.float32)
            arcs = heads > 0
            by_label = np.exp(scores).mean(axis=0)
            of_labels[arcs] = by_label[range(len(by_label)), labels[arcs]]
            confidence = Confidence(of_heads, of_labels, most_probable_heads(of_words))
        none = np.full((1, len(sentences.lengths)), -np.inf)
        return LabelledTrees(Found(heads[None], none), labels[None], confidence)

    def _weigh_arcs(
        self,
        parsers: Sequence[DependencyParser],
        scored: Sequence[ScoredBatch[Any]],
        constrained: ConstrainedSentences | None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Compute the confidence of the members in each arc, and its weight in the tree:
        [n_sentences, size, size] each."""
        scores = np.stack([one.arcs.cpu().numpy() for one in scored])
        if self.settings.combine == "scores":
            return np.exp(scores).mean(axis=0), scores.sum(axis=0)
        sentences = scored[0].sentences
        evidence = np.zeros(scores.shape[1:], dtype=np.float32)
        allowed = constrained.allowed_trees if constrained else {}
        for parser, one in zip(parsers, scored, strict=True):
            # If a member cannot build an allowed tree, its best tree counts.
            found = parser.search.best(one)
            keep_allowed(found, parser.search, one, allowed)
            evidence[sentences.sentence, sentences.places, found.heads[0]] += 1 / len(parsers)
        # All probabilities of a tree together weigh less than one vote.
        share = 0.5 / (len(parsers) * (sentences.lengths[:, None, None] + 1.0))
        return evidence, evidence + share * np.exp(scores).mean(axis=0)
