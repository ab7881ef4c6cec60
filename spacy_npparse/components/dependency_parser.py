"""The component of all trained parsers, which finds the sentences of a Doc and parses them."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic

import numpy as np
import srsly
import torch
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from thinc.api import Model, Optimizer, set_dropout_rate
from torch import Tensor

from spacy_npparse.checks import check_type
from spacy_npparse.components.constraints.batch import (
    BatchConstraints,
    read_constraints,
)
from spacy_npparse.components.constraints.given import ConstraintError
from spacy_npparse.components.derivations import GoldTree, gold_trees
from spacy_npparse.components.docs import Parse
from spacy_npparse.components.label_rules import RuleCases
from spacy_npparse.components.labelled_search import LabelledSearch
from spacy_npparse.components.labels import Growth, Labels, check_labels
from spacy_npparse.components.loss import batch_loss
from spacy_npparse.components.network import Network
from spacy_npparse.components.prediction import ParserPipe, parse_sentences
from spacy_npparse.components.rehearsal import check_rehearsable, rehearsal_examples
from spacy_npparse.components.saved_state import (
    CFG,
    MODEL,
    VOCAB,
    SavedState,
    check_files,
)
from spacy_npparse.components.sentence_finder import SentenceFinder
from spacy_npparse.components.settings import ParserSettings
from spacy_npparse.components.training_data import (
    TrainingCounts,
    check_examples,
    warn_of_shared_files,
)
from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.errors import loading
from spacy_npparse.models.threads import threads_for
from spacy_npparse.parsing import (
    EncodedTokens,
    Search,
    Temperatures,
)
from spacy_npparse.parsing.batch import NetT
from spacy_npparse.parsing.settings import ConfidenceSettings, Encoding
from spacy_npparse.transitions import Derivation
from spacy_npparse.treebank.label_rules import meaning
from spacy_npparse.treebank.sentence import SPACY_ROOT
from spacy_npparse.trees.label_rules import LabelRule, read_rules

logger = logging.getLogger(__name__)


class DependencyParser(ParserPipe, TrainablePipe, Generic[NetT]):
    """A component that finds the sentences of a Doc and parses them.

    Each sentence gets a tree with exactly one root. Known boundaries and non-boundaries of a Doc
    are kept. Open ones are found together with the heads of the words, see
    `spacy_npparse.decoding.sentences.search`. If the parser does not find sentences, open places
    are not boundaries.

    Args:
        nlp: The pipeline.
        name: The name of the component in the pipeline.
        settings: The settings of the component.
        search: The search for trees.
        system_name: The name of the component's factory, without `_parser`.
        fixed: The settings, by name, that the weights depend on.
        encoding: The pseudo-projective encoding of crossing arcs; None if there is none.

    Attributes:
        settings: The settings of the component.
        network: The network, which scores sentences.
        label_set: The labels.
        trees: The search for labelled trees.
        system_name: The name of the component's factory, without `_parser`.
        keep: Whether heads and labels of a Doc are kept, see `ParserSettings`.
        n_training_words: The number of words with gold heads in the data that `initialize` has
            read; 0 in other parsers.
    """

    def __init__(
        self,
        nlp: Language,
        name: str,
        settings: ParserSettings,
        search: Search[NetT],
        *,
        system_name: str,
        fixed: dict[str, Any] | None = None,
        encoding: Encoding | None = None,
    ):
        self.vocab = nlp.vocab
        self.model = settings.model
        self.name = name
        self.scorer = settings.scorer
        self.settings = settings
        self.keep = settings.keep
        self._decoder_class = type(search.decoder)
        self.network = Network(name, settings.model, search.net_class, nlp)
        ruled = settings.label_rules != "off"
        self.label_set = Labels(nlp.vocab.strings, encoding, ruled=ruled)
        self.trees = LabelledSearch(
            name, system_name, search, self.network, self.label_set, settings.label_rules
        )
        self.system_name = system_name
        self._fixed = {"pseudo_projective": encoding, **(fixed or {})}
        self._finder = SentenceFinder(name)
        self._rehearsal_model: Model | None = None
        self._rule_cases = RuleCases()
        self.n_training_words = 0
        # The data that spaCy saves and loads.
        self.cfg: dict[str, Any] = self._state().to_json()

    # Labels

    @property
    def labels(self) -> tuple[str, ...]:
        """The arc labels. Once the component is initialized, that of the root is the last."""
        root = [SPACY_ROOT] if self.network.shim.is_initialized else []
        return tuple(dict.fromkeys([*self.label_set.plain, *root]))

    @property
    def label_data(self) -> list[str]:
        """The labels in the form that `spacy init labels` saves and `initialize` takes."""
        return list(self.label_set.plain)

    @property
    def label_rules(self) -> tuple[LabelRule, ...]:
        """The label rules that the parser has learnt, see `ParserSettings`. They can be
        replaced."""
        return self.label_set.rules

    @label_rules.setter
    def label_rules(self, rules: Iterable[LabelRule]) -> None:
        rules = list(rules)
        check_type(f"{self.name}: label_rules", rules, list[LabelRule])
        self.label_set.replace_rules(rules)

    @property
    def is_resizable(self) -> bool:
        """Whether labels can be added to a trained component."""
        return True

    def add_label(self, label: str) -> int:
        """Add an arc label, before or after training.

        A trained component keeps its weights, and has to learn the new label.

        Args:
            label: The label.

        Returns:
            1, or 0 if the component already has the label.

        Raises:
            ValueError: The argument is not a valid label.
        """
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f"{self.name}: {label!r} is not a label. Give a non-empty string.")
        if label in self.labels:
            return 0
        self._grow(self.label_set.add([label]))
        return 1

    def add_labels_of(self, examples: Sequence[Example]) -> None:
        """Add the new labels of gold trees.

        Args:
            examples: The examples with the gold trees.
        """
        labels, growth = self.label_set.add_new(examples)
        if labels:
            logger.info("%s: new labels: %s", self.name, ", ".join(labels))
        for added in growth:
            self._grow(added)

    def _grow(self, growth: Growth) -> None:
        """Make room for new labels."""
        self.network.grow(*growth)
        if self._rehearsal_model is not None:
            # The copy never predicts the new labels, which it does not know.
            self._network_of(self._rehearsal_model).grow(*growth, bias=IMPOSSIBLE)

    # Prediction

    @property
    def search(self) -> Search[NetT]:
        """The search for trees without labels."""
        return self.trees.search

    @search.setter
    def search(self, search: Search[NetT]) -> None:
        self.trees.search = search

    @property
    def decoder(self) -> ConfidenceSettings:
        """The settings of the search."""
        return self.search.decoder

    @decoder.setter
    def decoder(self, decoder: ConfidenceSettings) -> None:
        check_type(f"{self.name}: decoder", decoder, self._decoder_class)
        decoder.check(self.name)
        self.search.decoder = decoder

    @property
    def temperatures(self) -> Temperatures:
        """The temperatures by which scores are divided before they become probabilities."""
        return self.network.temperatures

    @temperatures.setter
    def temperatures(self, temperatures: Temperatures) -> None:
        check_type(f"{self.name}: temperatures", temperatures, Temperatures)
        self.network.temperatures = temperatures

    @property
    def finds_sentences(self) -> bool:
        """Whether the component has been trained to find sentence boundaries that are not set."""
        return self._finds_sentences(self.network.shim.net)

    def _finds_sentences(self, net: NetT) -> bool:
        return self.settings.sentences == "joint" and net.finds_sentences

    def predict(self, docs: Iterable[Doc]) -> list[Parse]:
        return self._predict(list(docs), self.network)

    def _predict(self, docs: list[Doc], network: Network[NetT]) -> list[Parse]:
        if not docs:
            return []
        constraints = self._constraints(docs)
        with torch.no_grad(), threads_for(sum(map(len, docs))):
            encoded = network.encode(docs)
            tokens = self._finder.find(docs, self._boundary_scorers(encoded), constraints)
            parse = partial(self.trees.parse, encoded)
            strings = self.vocab.strings
            return parse_sentences(
                tokens, constraints, parse, self.label_set, strings, self.decoder
            )

    def _boundary_scorers(self, encoded: EncodedTokens[NetT]) -> list[EncodedTokens[NetT]]:
        return [encoded] if self._finds_sentences(encoded.net) else []

    def _constraints(self, docs: Sequence[Doc]) -> BatchConstraints | None:
        """Read the constraints on Docs. Raises ConstraintError if this parser cannot meet some of
        them."""
        constraints = read_constraints(docs, self.keep, self.label_set.plain)
        if constraints and not self.label_set.are_plain:
            raise ConstraintError(
                f"{self.name}: a pseudo-projective parser cannot meet constraints, because it "
                "moves arcs after the search. Use another parser."
            )
        return constraints

    def report(self) -> None:
        """Warn about sentences that could not be parsed as requested since the last report."""
        self._finder.report()
        self._warn([*self.search.report(), *self.trees.report()])

    def _warn(self, messages: Iterable[str]) -> None:
        for message in messages:
            logger.warning("%s: %s", self.name, message)

    def derivations(
        self, doc: Doc, *, gold: Doc | None = None, oracle: str | None = None
    ) -> list[Derivation]:
        """Derive the highest-scoring tree of each sentence with words, with the scores of all
        transitions.

        Pseudo-projective trees are shown with their augmented labels. Constraints on the Doc are
        ignored, and so are label rules that would lead to another tree.

        Args:
            doc: The Doc, with known sentence boundaries, and with the vectors of a shared encoder
                if there is one.
            gold: A Doc with the same tokens and gold trees, for the costs of transitions; None if
                unknown.
            oracle: The name of the oracle that computes the costs; by default that of the training.

        Returns:
            The derivations, in the order of the sentences.

        Raises:
            ValueError: The parser builds trees without transitions, the Docs have different tokens,
                gold heads form a cycle, or the transition system has no such oracle.
        """
        with torch.no_grad(), threads_for(len(doc)):
            encoded = self.network.encode([doc])
            tokens = self._finder.find([doc], self._boundary_scorers(encoded))
            sentences = tokens.sentences()
            trees: list[GoldTree | None] = [None] * len(sentences.lengths)
            if gold is not None:
                trees = gold_trees(doc, gold, sentences, self.label_set)
            return [
                self.trees.derive(doc, encoded.score(sentences.take(np.array([i]))), tree, oracle)
                for i, tree in enumerate(trees)
            ]

    # Training

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        label_rules: Sequence[dict[str, Any]] | None = None,
    ) -> None:
        """Collect the labels, and build the model with new weights.

        Labels that have been added before are kept.

        Args:
            get_examples: A function that returns the training data. All of it is read for the
                labels and their rules (unless they are given), for labels of a pseudo-projective
                encoding, and to count the trees that the parser cannot learn from.
            nlp: The pipeline, with the config of the training.
            labels: The arc labels, without that of the root; None to collect them.
            label_rules: The label rules, as dictionaries with the attributes of `LabelRule`;
                None to learn them from the examples.

        Raises:
            ValueError: There are no examples, or one has unknown labels or heads that form a cycle;
                the given labels are empty, repeated, or include that of the root; or the given
                rules are malformed.
        """
        if labels is not None:
            check_labels(self.name, labels)
        given_rules = None
        if label_rules is not None:
            where = f"{self.name}: initialize.components.{self.name}.label_rules"
            given_rules = read_rules(where, list(label_rules))
        check_examples(get_examples, self)
        self.label_set.collect(get_examples, labels)
        self.temperatures = Temperatures()
        self._rehearsal_model = None
        self._rule_cases = RuleCases()
        if nlp is not None:
            self.network.encoders.belong_to(nlp)
            warn_of_shared_files(nlp)
        sample = [eg.predicted for eg in islice(get_examples(), 10)]
        if not sample:
            raise ValueError(Errors.E923.format(name=self.name))
        finds_sentences = self.settings.sentences == "joint"
        sizes = {"n_labels": len(self.label_set), "finds_sentences": finds_sentences}
        self.model.initialize(X=sample, Y={**self.search.net_sizes, **sizes})
        counts = TrainingCounts()
        gold = counts.read(get_examples(), self.label_set)
        self._warn(self.search.begin_training(self.network.shim.net, gold))
        self._warn(counts.warnings(finds_sentences=finds_sentences))
        self.n_training_words = counts.n_heads
        self.label_rules = counts.labels.rules() if given_rules is None else given_rules

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the model with a batch.

        Unknown labels are added. In further training, rules that the gold trees contradict are
        removed, with a warning.

        Args:
            examples: The batch. Missing heads and misaligned tokens are masked in the loss.
            drop: The dropout rate of the encoder.
            sgd: The optimizer; None to accumulate gradients until `finish_update`.
            losses: The losses by component, to which this loss is added.

        Returns:
            The losses.

        Raises:
            ValueError: Gold trees have cycles, or the loss is not finite. In this case, the weights
                do not change.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        n_words = sum(len(eg.predicted) for eg in examples)
        if not n_words:
            return losses
        self.add_labels_of(examples)
        # `nlp.resume_training` has copied the model, or the parser has been loaded.
        is_further = self._rehearsal_model is not None or not self.n_training_words
        if is_further and self.label_rules:
            self._remove_contradicted_rules(examples)
        set_dropout_rate(self.model, drop)
        with threads_for(n_words):
            vectors, backprop = self.model.begin_update([eg.predicted for eg in examples])
            loss, d_loss = self.get_loss(examples, vectors)
            backprop(d_loss)
        if sgd not in (None, False):
            self.finish_update(sgd)
        self.network.encoders.has_learnt = True
        self.search.end_update(self.network.shim.net)
        losses[self.name] += loss
        return losses

    def _remove_contradicted_rules(self, examples: Iterable[Example]) -> None:
        references = [eg.reference for eg in examples]
        contradicted = self._rule_cases.add(references, self.label_rules)
        if contradicted:
            self.label_rules = [rule for rule in self.label_rules if rule not in contradicted]
            rules = [f"{', '.join(rule.labels)} ({meaning(rule)})" for rule in contradicted]
            self._warn(
                [
                    "the training data contradict label rules of an earlier treebank, which are "
                    f"removed: {'; '.join(rules)}."
                ]
            )

    def get_loss(self, examples: Iterable[Example], scores: Tensor) -> tuple[float, Tensor]:
        """Compute the loss of a batch; see `spacy_npparse.components.loss.batch_loss`.

        Args:
            examples: The batch.
            scores: [n_tokens, width], the vectors of all tokens of the predicted Docs, which
                `model.begin_update` or `model.predict` returned. The scores are computed from
                these, because many of them depend on the gold trees.

        Returns:
            The loss as a number, and as a torch scalar for `backprop` of `model.begin_update`.

        Raises:
            ValueError: The vectors do not belong to the Docs, gold trees have cycles or unknown
                labels, or the loss is not finite.
        """
        examples = list(examples)
        n_tokens = sum(len(eg.predicted) for eg in examples)
        if not isinstance(scores, Tensor) or len(scores) != n_tokens:
            raise ValueError(
                f"{self.name}: get_loss needs the output of model.begin_update or model.predict "
                f"for the predicted Docs: one vector for each of their {n_tokens} tokens."
            )
        if not n_tokens:
            return 0.0, scores.new_zeros(())
        net = self.network.shim.net
        gold, boundaries = self.label_set.gold(examples)
        known = boundaries if self._finds_sentences(net) else None
        return batch_loss(self.name, self.search, net, scores, gold, known)

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the model so that it does not forget its predictions at the time of
        `nlp.resume_training`, by learning the trees that it would have found then.

        Args:
            examples: The batch, of which only the predicted Docs are used.
            drop: The dropout rate of the encoder.
            sgd: The optimizer; None to accumulate gradients until `finish_update`.
            losses: The losses by component, to which this loss is added.

        Returns:
            The losses.

        Raises:
            NotImplementedError: The model listens to the encoder of another component.
            TypeError: The batch contains something other than examples.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.rehearse")
        docs = [eg.predicted for eg in examples]
        if self._rehearsal_model is None:
            return losses
        check_rehearsable(self.model, self.name)
        parses = self._predict(docs, self._network_of(self._rehearsal_model))
        return self.update(rehearsal_examples(docs, parses), drop=drop, sgd=sgd, losses=losses)

    def _network_of(self, model: Model) -> Network[NetT]:
        """Make the network of a copy of the model."""
        return Network(self.name, model, self.search.net_class, None)

    # Saving and loading

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component to a folder, except the files named in `exclude`."""
        self._prepare_saving()
        super().to_disk(path, exclude=exclude)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component for `from_bytes`, except the parts named in `exclude`."""
        self._prepare_saving()
        data: bytes = super().to_bytes(exclude=exclude)
        return data

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = ()
    ) -> "DependencyParser[NetT]":
        """Load the component from a folder, except the files named in `exclude`.

        Raises:
            ValueError: A file is missing or damaged, or was saved by a parser with another
                transition system or other settings, or the files come from different trainings. The
                message names the folder and the remedy.
        """
        exclude = set(exclude)
        with loading(f"component {self.name!r}", str(path)):
            check_files(Path(path), exclude)
            self._load(partial(super().from_disk, path), exclude)
        return self

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "DependencyParser[NetT]":
        """Load the component from bytes of `to_bytes`, except the parts named in `exclude`.

        Raises:
            ValueError: A part is missing or does not belong to this component, see `from_disk`.
        """
        with loading(f"component {self.name!r}", f"{len(bytes_data)} bytes"):
            # A part that is missing here has been excluded by `to_bytes`.
            missing = {CFG, MODEL}.difference(srsly.msgpack_loads(bytes_data))
            self._load(partial(super().from_bytes, bytes_data), {*exclude, *missing})
        return self

    def _state(self, encoder: str = "") -> SavedState:
        """Make the state to save. encoder: the checksum of shared encoders."""
        return SavedState(
            labels=self.label_set.plain,
            decorated=self.label_set.decorated,
            system=self.system_name,
            settings=self._fixed,
            temperatures=self.temperatures,
            encoder=encoder,
            label_rules=self.label_rules,
        )

    def _prepare_saving(self) -> None:
        """Put the state where spaCy saves it from."""
        state = self._state(self.network.encoders.checksum_to_save(self.model))
        self.cfg = {**self.cfg, **state.to_json()}
        self.network.write_progress(state.checksum)

    def _load(self, read: Callable[..., Any], exclude: set[str]) -> None:
        """Load the settings and then the weights, so that those of another parser are recognised.
        read: a function that reads parts of the component, given the names of those to exclude."""
        if CFG not in exclude:
            # Settings that are missing in the file must not keep their old values.
            self.cfg = {}
            self._rehearsal_model = None
            self._rule_cases = RuleCases()
            self.n_training_words = 0
        read(exclude=[*exclude, MODEL])
        if CFG not in exclude:
            state = SavedState.from_json(self.cfg, self._state())
            self.label_set.replace(state.labels, state.decorated)
            self.temperatures = state.temperatures
            self.label_rules = state.label_rules
            self.network.encoders.checksum = state.encoder
            self.network.encoders.has_learnt = False
        read(exclude=[*exclude, CFG, VOCAB])
        sizes = {"n_labels": len(self.label_set), **self.search.net_sizes}
        checksum = None if exclude & {CFG, MODEL} else self._state().checksum
        self.network.check_loaded(sizes, checksum, self.system_name)
        if MODEL not in exclude:
            self.network.read_progress()
