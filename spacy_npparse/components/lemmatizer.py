"""The lemmatizer, which looks up the lemmas of known words and spells those of others."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import srsly
import torch
from numpy.typing import NDArray
from spacy.attrs import LEMMA
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, deserialize_attr, serialize_attr
from thinc.types import Floats1d

from spacy_npparse.checks import check_type
from spacy_npparse.components.doc_words import lemmatized_words, row_keys, row_words, word_rows
from spacy_npparse.components.training_data import check_examples
from spacy_npparse.errors import loading
from spacy_npparse.lemmas import (
    LemmaTable,
    Lexicon,
    Mistagging,
    Symbols,
    Word,
    lemmatize,
    lexicon_from_dict,
    lexicon_to_dict,
)
from spacy_npparse.models.shim import torch_shim
from spacy_npparse.models.speller import SpelledBatch
from spacy_npparse.models.speller_net import SpellerNet
from spacy_npparse.models.threads import threads_for

_LEXICON = "lexicon"
# The number of words that an update learns from, as a share of the batch and at most. Every word of
# a small treebank is thus learnt about thirty times in a training of configs/accuracy.cfg.
_SHARE = 0.107
_MOST_WORDS = 128
_LEAST_RATE = 0.001
# The maximum number of remembered lemmas, which take 20 MB.
_MOST_REMEMBERED = 2**17


class CharacterLemmatizer(TrainablePipe):
    """A component that assigns lemmas by word forms and tags.

    A known word gets its most frequent lemma in the training data with the same tags, or with fewer
    of them. Other forms of these lemmas are recognized by their endings. A network, trained on all
    words of the training data, spells the other lemmas character by character. The tags are those
    that components before this one assign.

    Args:
        vocab: The vocabulary of the pipeline.
        model: The network, a `spacy_npparse.Speller.v1`.
        name: The name of the component in the pipeline.
        overwrite: Whether to replace lemmas that a Doc has.
        scorer: The function that computes the scores.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "character_lemmatizer",
        *,
        overwrite: bool = False,
        scorer: Callable[..., Any] | None = None,
    ):
        check_type(f"{name}: overwrite", overwrite, bool)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.overwrite = overwrite
        self.cfg = None
        self._shim = torch_shim(model, SpellerNet)
        # Lemmas by the hashes of words.
        self._remembered: dict[int, str] = {}
        self._mistagging: Mistagging | None = None
        self._use(Lexicon(LemmaTable({}), Symbols("", [], [])))

    @property
    def label_data(self) -> dict[str, Any]:
        """The words of the training data, which `initialize` takes as labels."""
        return lexicon_to_dict(self._lexicon)

    # Prediction

    def predict(self, docs: Iterable[Doc]) -> list[NDArray[np.uint64]]:
        """Lemmatize Docs without changing them.

        Args:
            docs: The Docs.

        Returns:
            The hashes of the lemmas of each Doc, uint64 [len(doc)].

        Raises:
            ValueError: The component has not been trained.
        """
        docs = list(docs)
        self._check_initialized()
        if not any(map(len, docs)):
            return [np.zeros(0, dtype=np.uint64) for _ in docs]
        rows = word_rows(docs)
        # If the component is sourced from another pipeline, `self.vocab` belongs to that pipeline.
        lemmas = iter(self._lemmas(row_keys(rows).tolist(), rows, docs[0].vocab.strings))
        return [
            np.array([*map(doc.vocab.strings.add, islice(lemmas, len(doc)))], dtype=np.uint64)
            for doc in docs
        ]

    def _lemmas(self, keys: list[int], rows: NDArray[np.uint64], strings: StringStore) -> list[str]:
        """Find the lemmas of words. keys: their hashes; rows: as `word_rows` returns them; strings:
        the string store of the Docs."""
        # Other threads may empty the cache.
        remembered = self._remembered
        found = {key: remembered.get(key, "") for key in keys}
        new = {key: i for i, key in enumerate(keys) if not found[key]}
        if new:
            words = row_words(rows[[*new.values()]].tolist(), strings)
            with threads_for(len(new)):
                lemmas = lemmatize(words, *self._lexicon, self._shim.net_in_mode(False))
            made = dict(zip(new, lemmas, strict=True))
            found |= made
            if len(remembered) + len(made) > _MOST_REMEMBERED:
                remembered.clear()
            remembered.update(made)
        return [found[key] for key in keys]

    def _check_initialized(self) -> None:
        if not self._shim.is_initialized:
            raise ValueError(
                f"{self.name} has not been trained: call nlp.initialize() and train it, or load a "
                "trained pipeline."
            )

    def set_annotations(self, docs: Iterable[Doc], lemmas: Iterable[NDArray[np.uint64]]) -> None:
        """Write lemmas to Docs.

        Args:
            docs: The Docs.
            lemmas: The lemmas that `predict` returned.
        """
        for doc, found in zip(docs, lemmas, strict=True):
            if not len(doc):
                continue
            if not self.overwrite:
                given = np.asarray(doc.to_array(LEMMA), dtype=np.uint64)
                found = np.where(given > 0, given, found)
            doc.from_array([LEMMA], found.reshape(-1, 1))  # type: ignore[arg-type]

    # Training

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Mapping[str, Any] | None = None,
    ) -> None:
        """Collect the words of the training data, and initialize the network with new weights.

        Args:
            get_examples: A function that returns the training data. It is not read if labels are
                given.
            nlp: Ignored.
            labels: The `label_data` of a lemmatizer that has read the training data.

        Raises:
            ValueError: No word has a lemma, or the labels are malformed.
        """
        if labels is None:
            check_examples(get_examples, self)
            table = LemmaTable(lemmatized_words(get_examples()))
            lexicon = Lexicon(table, Symbols.collect(table.counts))
        else:
            try:
                lexicon = lexicon_from_dict(labels)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise ValueError(
                    f"{self.name}: the labels are malformed ({error!r}). Make them anew with "
                    "spacy init labels."
                ) from error
        if not lexicon.table.counts:
            raise ValueError(
                f"{self.name}: the training data has no lemmas. Give data with the column LEMMA, "
                "or remove the component from nlp.pipeline."
            )
        self._use(lexicon)
        self.model.initialize(Y=lexicon.symbols.sizes)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the network with words of a batch. They are drawn in such a way that all words of
        the training data are learnt equally often, however frequent they are. New words are added
        to those of the training data.

        Args:
            examples: The batch. Predicted Docs are used only for multiword tokens that reference
                Docs lack.
            drop: Ignored, because the model has dropout rates of its own.
            sgd: The optimizer; None to accumulate gradients until `finish_update`.
            losses: The losses by component, to which this loss is added.

        Returns:
            The losses.

        Raises:
            ValueError: The component has not been initialized.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        self._check_initialized()
        pairs = lemmatized_words(examples)
        self._lexicon.table.add(pairs)
        batch = self._sample(pairs)
        self._remembered.clear()
        if batch is not None:
            with threads_for(len(batch.words.lengths)):
                scores, backprop = self.model.begin_update(batch)
                loss, d_scores = self.get_loss(examples, scores)
                backprop(d_scores)
            losses[self.name] += loss
        if sgd not in (None, False):
            self.finish_update(sgd)
        return losses

    def _sample(self, pairs: Counter[tuple[Word, str]]) -> SpelledBatch | None:
        """Draw different words of a batch, with probabilities inverse to their frequencies in the
        training data; None if there are none. pairs: the frequencies in the batch."""
        table, symbols = self._lexicon
        different = list(pairs)
        counts = np.array([table.frequency(*pair) for pair in different])
        # The minimum of several exponentially distributed numbers is distributed exponentially,
        # too.
        draws = torch.empty(len(different), dtype=torch.float64).exponential_().numpy() * counts
        n_words = min(_MOST_WORDS, ceil(_SHARE * pairs.total()))
        chosen = [different[i] for i in np.argsort(draws)[:n_words].tolist()]
        known = [(pair, gold) for pair in chosen if (gold := symbols.gold(*pair))]
        if not known:
            return None
        edits = np.array([edit for _, gold in known for edit in gold], dtype=np.int64)
        if self._mistagging is None:
            self._mistagging = Mistagging(word for word, _ in table.counts)
        words = self._mistagging([word for (word, _), _ in known])
        return SpelledBatch(symbols.batch(words), edits)

    def get_loss(self, examples: Iterable[Example], scores: Floats1d) -> tuple[float, Floats1d]:
        """Compute the loss of a batch: the negative log-likelihood of the edits.

        Args:
            examples: Ignored.
            scores: float32 [n_edits], the log-probabilities of the edits, which
                `model.begin_update` returned.

        Returns:
            The mean loss, and its gradient, [n_edits].
        """
        n_edits = max(1, len(scores))
        d_scores = self.model.ops.alloc1f(len(scores)) - 1.0 / n_edits
        return -float(self.model.ops.xp.sum(scores)) / n_edits, d_scores

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights with the gradients. The learning rate is at least 0.001, because that
        of a transformer would be too low for this network.

        Args:
            sgd: The optimizer.
        """
        # An optimizer may be any function.
        rate = getattr(sgd, "learn_rate", None)
        if rate:
            sgd.learn_rate = max(rate, _LEAST_RATE)
        try:
            super().finish_update(sgd)
        finally:
            if rate:
                sgd.learn_rate = rate
        self._remembered.clear()

    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Use other weights in a context, as `nlp.use_params` does.

        Args:
            params: The weights, such as averages.

        Yields:
            Nothing.
        """
        self._remembered.clear()
        try:
            with self.model.use_params(params):
                yield
        finally:
            self._remembered.clear()

    @property
    def _lexicon(self) -> Lexicon:
        lexicon: Lexicon = self.model.attrs[_LEXICON]
        return lexicon

    def _use(self, lexicon: Lexicon) -> None:
        self.model.attrs[_LEXICON] = lexicon
        self._mistagging = None
        self._remembered.clear()

    # Saving and loading. The model contains the lexicon.

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "CharacterLemmatizer":
        """Load the component from bytes of `to_bytes`, except the parts named in `exclude`.

        Raises:
            ValueError: The data is damaged.
        """
        with loading(f"component {self.name!r}", f"{len(bytes_data)} bytes"):
            super().from_bytes(bytes_data, exclude=exclude)
            self._use(self._lexicon)
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "CharacterLemmatizer":
        """Load the component from a folder, except the files named in `exclude`.

        Raises:
            ValueError: A file is missing or damaged. The message names the folder and the remedy.
        """
        with loading(f"component {self.name!r}", str(path)):
            super().from_disk(path, exclude=exclude)
            lexicon, file = self._lexicon, Path(path, _LEXICON)
            # Earlier versions saved the lexicon in a file beside the model.
            if not lexicon.table.counts and file.is_file():
                lexicon = _load(lexicon, file.read_bytes())
            self._use(lexicon)
        return self


@serialize_attr.register(Lexicon)
def _save(lexicon: Lexicon, *about: Any) -> bytes:
    data: bytes = srsly.msgpack_dumps(lexicon_to_dict(lexicon))
    return data


@deserialize_attr.register(Lexicon)
def _load(_: Any, data: bytes, *about: Any) -> Lexicon:
    return lexicon_from_dict(srsly.msgpack_loads(data))


def make_character_lemmatizer(
    nlp: Language,
    name: str,
    model: Model,
    overwrite: bool,
    scorer: Callable[..., Any] | None,
) -> CharacterLemmatizer:
    """Make a `character_lemmatizer`.

    Args:
        nlp: The pipeline.
        name: The name of the component in the pipeline.
        model: The network, a `spacy_npparse.Speller.v1`.
        overwrite: Whether to replace lemmas that a Doc has.
        scorer: The function that computes the scores.

    Returns:
        The component.
    """
    return CharacterLemmatizer(
        nlp.vocab,
        model,
        name,
        overwrite=overwrite,
        scorer=scorer,
    )


Language.factory(
    "character_lemmatizer",
    assigns=["token.lemma"],
    default_config={
        "model": {"@architectures": "spacy_npparse.Speller.v1"},
        "overwrite": False,
        "scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"},
    },
    default_score_weights={"lemma_acc": 1.0},
    func=make_character_lemmatizer,
)
