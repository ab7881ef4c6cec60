"""The trained tokenizer of spaCy pipelines."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize
from weakref import ref

import numpy as np
import srsly
from numpy.typing import NDArray
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import from_bytes, from_disk, to_bytes, to_disk
from spacy.vocab import Vocab

from spacy_npparse.checks import check_arguments
from spacy_npparse.errors import loading
from spacy_npparse.models.forms import text_as_read
from spacy_npparse.tokenization.characters import compose
from spacy_npparse.tokenization.layout import CutToken, make_doc
from spacy_npparse.tokenization.multiword import MultiwordSplitter
from spacy_npparse.tokenization.saved_model import seal, unseal
from spacy_npparse.tokenization.saved_rules import load_strings
from spacy_npparse.tokenization.segmenter import Segmenter
from spacy_npparse.tokenization.training import no_addresses, train_model, training_sentences
from spacy_npparse.word_slices import cut

Multiword = Literal["split", "whole"]

logger = logging.getLogger(__name__)

_NAME = "spacy_npparse.TrainedTokenizer.v1"
_CONFIG, _MODEL, _SPLITTER = "cfg", "model", "multiword"


class TrainedTokenizer:
    """A tokenizer that `nlp.initialize` trains on the gold tokens of the corpus.

    `doc.text` is the text. A multiword token is cut into slices, one for each of its syntactic
    words, as spaCy cuts "can't" into "ca" and "n't". `token._.form` is the word, and `token.norm_`
    is its norm. The multiword token is in `doc._.multiword_tokens`, and no sentence begins inside
    it. A multiword token with fewer characters than words remains whole. As with spaCy's tokenizer,
    white space other than single spaces between tokens becomes tokens.

    Args:
        vocab: The vocabulary of the Docs.
        nlp: The pipeline that the tokenizer belongs to; None if there is none yet.

    Attributes:
        vocab: The vocabulary of the Docs.
        multiword: "split" cuts multiword tokens, and "whole" makes each a single token. Can be
            changed at any time.
        n_whole: The number of multiword tokens in this process so far that remained whole because
            they have too few characters.

    Source: Straka and Straková (2017, section 2.1) for tokens. They are those of UDPipe 1, whose
    trainer trains the network, except in text in capitals, and in abbreviations that look like
    addresses. For words, see `MultiwordSplitter`.
    """

    def __init__(self, vocab: Vocab, nlp: Language | None = None) -> None:
        self.vocab = vocab
        # The pipeline, for messages about it.
        self._pipeline: Callable[[], Language | None] = ref(nlp) if nlp else lambda: None
        self._multiword: Multiword = "split"
        self.n_whole = 0
        self._no_addresses: list[str] = []
        self._model = b""
        self._segmenter: Segmenter | None = None
        self._splitter = MultiwordSplitter([], {}, [{}])
        self._is_initializing = False

    @property
    def multiword(self) -> Multiword:
        """Whether multiword tokens are split ("split") or single tokens ("whole").

        Raises:
            ValueError: Another value is set.
        """
        return self._multiword

    @multiword.setter
    def multiword(self, multiword: Multiword) -> None:
        check_arguments(_NAME, TrainedTokenizer.initialize, {"multiword": multiword})
        self._multiword = multiword

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.vocab, self.to_bytes())

    def __call__(self, text: str) -> Doc:
        """Tokenize a text.

        Args:
            text: The text.

        Returns:
            The Doc.

        Raises:
            ValueError: The tokenizer has not been trained.
        """
        bounds = self._bounds(text)
        forms = [text[start:end] for start, end in zip(*bounds.T.tolist(), strict=True)]
        multiword = self._multiword_tokens(forms) if self.multiword == "split" else {}
        return make_doc(self.vocab, text, bounds, forms, multiword)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Tokenize texts one by one.

        Args:
            texts: The texts.
            batch_size: Ignored.

        Yields:
            The Docs.
        """
        for text in texts:
            yield self(text)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        multiword: Multiword = "split",
        source: str | Path | None = None,
        pkuseg_model: str | None = None,
        pkuseg_user_dict: str | None = "default",
    ) -> None:
        """Train the tokenizer. The arguments after `nlp` are the settings of
        `[initialize.tokenizer]` in a config.

        Args:
            get_examples: A function that returns the examples, of which only the reference Docs are
                used.
            nlp: The pipeline.
            multiword: "split" to cut multiword tokens, or "whole" to make each a single token.
            source: The folder of a pipeline whose tokenizer is copied, so that none is trained;
                None to train one.
            pkuseg_model: Ignored. spaCy adds this setting of its own tokenizer to configs for
                Chinese.
            pkuseg_user_dict: Ignored, like `pkuseg_model`.

        Raises:
            ValueError: The examples have too little text, `source` has no trained tokenizer, or a
                setting has the wrong type.
        """
        check_arguments(_NAME, TrainedTokenizer.initialize, {"source": source})
        self.multiword = multiword
        if source is not None:
            self._copy(Path(source) / "tokenizer")
            return
        # Corpus readers may tokenize texts before the tokenizer is trained.
        self._is_initializing = True
        try:
            sentences = training_sentences(example.reference for example in get_examples())
        finally:
            self._is_initializing = False
        model = train_model(sentences)
        self._no_addresses = no_addresses(sentences)
        self._load(model)
        self._splitter = MultiwordSplitter.train(
            [[(token.form, token.words) for token in sentence] for sentence in sentences]
        )

    def score(self, examples: Iterable[Example], **_: Any) -> dict[str, Any]:
        """Score the tokens like spaCy's tokenizer.

        Args:
            examples: The examples.

        Returns:
            The accuracy, precision, recall and F1 of tokens.
        """
        scores: dict[str, Any] = Scorer.score_tokenization(examples)
        return scores

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the tokenizer.

        Args:
            exclude: The names of parts to leave out: "cfg", "model", "multiword".

        Returns:
            The settings and the model, without the vocabulary.
        """
        writers = {
            _CONFIG: lambda: srsly.json_dumps(self._settings),
            _MODEL: lambda: seal(self._model),
            _SPLITTER: lambda: srsly.msgpack_dumps(self._rules),
        }
        data: bytes = to_bytes(writers, exclude)
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "TrainedTokenizer":
        """Load the tokenizer.

        Args:
            data: The bytes that `to_bytes` returned.
            exclude: The names of parts that are not loaded.

        Returns:
            The tokenizer itself.

        Raises:
            ValueError: Something is missing or damaged.
        """
        readers = {
            _CONFIG: lambda b: self._set(srsly.json_loads(b)),
            _SPLITTER: lambda b: self._set_rules(srsly.msgpack_loads(b)),
            _MODEL: lambda b: self._load(unseal(b)),
        }
        with loading("the tokenizer", f"{len(data)} bytes"):
            missing = set(readers) - set(srsly.msgpack_loads(data)) - set(exclude)
            if missing:
                raise ValueError(f"there is no {' and no '.join(sorted(missing))}")
            from_bytes(data, readers, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the tokenizer.

        Args:
            path: The folder to write.
            exclude: The names of parts to leave out: "cfg", "model", "multiword".
        """
        writers = {
            _CONFIG: lambda p: srsly.write_json(p, self._settings),
            _MODEL: lambda p: p.write_bytes(seal(self._model)),
            _SPLITTER: lambda p: srsly.write_msgpack(p, self._rules),
        }
        to_disk(path, writers, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "TrainedTokenizer":
        """Load the tokenizer.

        Args:
            path: The folder that `to_disk` wrote.
            exclude: The names of parts that are not loaded.

        Returns:
            The tokenizer itself.

        Raises:
            ValueError: Something is missing or damaged. The message names the folder.
        """
        readers = {
            _CONFIG: lambda p: self._set(srsly.read_json(p)),
            _SPLITTER: lambda p: self._set_rules(srsly.read_msgpack(p)),
            _MODEL: lambda p: self._load(unseal(p.read_bytes())),
        }
        with loading("the tokenizer", str(path)):
            from_disk(path, readers, exclude)
        return self

    @property
    def _settings(self) -> dict[str, Any]:
        return {"multiword": self.multiword}

    def _set(self, settings: dict[str, Any]) -> None:
        # Versions up to 0.2 saved this setting.
        is_split = settings.pop("split_multiword", None)
        if is_split is not None:
            settings["multiword"] = "split" if is_split else "whole"
        self.multiword = settings["multiword"]
        if is_split:
            self._warn_of_lemmatizers()

    def _warn_of_lemmatizers(self) -> None:
        """Warn of lemmatizers that were trained on words but read the slices."""
        nlp = self._pipeline()
        if nlp is None:
            return
        for name in nlp.pipe_names:
            if nlp.get_pipe_meta(name).factory == "trainable_lemmatizer":
                logger.warning(
                    "The component %r of this pipeline, which an earlier version trained, cannot "
                    "lemmatize the words of multiword tokens any more. Train the pipeline again, "
                    'with factory = "character_lemmatizer" in [components.%s] of its config.cfg.',
                    name,
                    name,
                )

    @property
    def _rules(self) -> dict[str, Any]:
        return {**self._splitter.to_dict(), "no_addresses": self._no_addresses}

    def _set_rules(self, data: dict[str, Any]) -> None:
        # Earlier versions did not save these.
        self._no_addresses = load_strings(data.pop("no_addresses", []))
        self._splitter = MultiwordSplitter.from_dict(data)

    def _load(self, model: bytes) -> None:
        """Use a model. An untrained tokenizer is saved with an empty one."""
        self._segmenter = Segmenter(model, self._no_addresses) if model else None
        self._model = model

    def _copy(self, folder: Path) -> None:
        if not (folder / _MODEL).is_file():
            raise ValueError(
                f"{folder} has no trained tokenizer. Give initialize.tokenizer.source the folder "
                f"of a pipeline that was trained with {_NAME}."
            )
        self.from_disk(folder, exclude=[_CONFIG])

    def _bounds(self, text: str) -> NDArray[np.int32]:
        if self._is_initializing:
            spans = [match.span() for match in re.finditer(r"\S+", text)]
            return np.array(spans, dtype=np.int32).reshape(-1, 2)
        if self._segmenter is not None:
            read = text_as_read(text)
            composed = compose(read)
            if composed is None:
                return self._segmenter(read)
            return composed.bounds(self._segmenter(composed.text))
        raise ValueError(
            f"The tokenizer {_NAME} has not been trained. Train the pipeline with `spacy train` or "
            "`nlp.initialize`, or load a trained one."
        )

    def _multiword_tokens(self, forms: Sequence[str]) -> dict[int, CutToken]:
        """Find the multiword tokens that are split, by the index of the token."""
        found = {}
        composed = [normalize("NFC", form) for form in forms]
        for number, words in self._splitter(composed).items():
            slices = _cut(forms[number], words)
            if slices:
                found[number] = CutToken(slices, words)
            else:
                self._warn_of_whole(forms[number], words)
        return found

    def _warn_of_whole(self, form: str, words: tuple[str, ...]) -> None:
        """Count the multiword tokens that remain whole, and warn of the first one."""
        self.n_whole += 1
        if self.n_whole == 1:
            logger.warning(
                "The multiword token %r has fewer characters than words (%s), and stays whole, as "
                "others do. nlp.tokenizer.n_whole is their number.",
                form,
                ", ".join(words),
            )


def _cut(form: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Cut a multiword token, see `cut`, but not inside a character."""
    composed = compose(form)
    if composed is None:
        return cut(form, words)
    slices = cut(composed.text, words)
    if slices is None:
        return None
    ends = list(accumulate(map(len, slices)))
    bounds = composed.bounds(np.array(list(pairwise([0, *ends])), dtype=np.int32))
    return tuple(form[start:end] for start, end in bounds) if len(bounds) == len(slices) else None


def _restored(vocab: Vocab, data: bytes) -> TrainedTokenizer:
    return TrainedTokenizer(vocab).from_bytes(data)


def make_trained_tokenizer() -> Callable[[Language], TrainedTokenizer]:
    """Return the factory of the tokenizer `spacy_npparse.TrainedTokenizer.v1`.

    Returns:
        The factory, for `nlp.tokenizer` of a config.
    """
    return _make


def _make(nlp: Language) -> TrainedTokenizer:
    return TrainedTokenizer(nlp.vocab, nlp)
