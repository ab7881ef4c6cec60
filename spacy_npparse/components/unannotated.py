"""The callback `spacy_npparse.drop_unannotated_components.v1`, which fits a pipeline to a
treebank."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.training import Example
from spacy.util import resolve_dot_names

logger = logging.getLogger(__name__)

# The attribute of Docs that each tagger or lemmatizer sets, and the column of CoNLL-U.
_COLUMNS = {
    "token.tag": ("TAG", "XPOS"),
    "token.pos": ("POS", "UPOS"),
    "token.morph": ("MORPH", "FEATS"),
    "token.lemma": ("LEMMA", "LEMMA"),
}
_TREES = ("token.dep", "DEP")
# The number of examples from which spaCy initializes a pipeline if `training.max_epochs` is -1,
# because the corpus may be endless.
_STREAMED = 100


def drop_unannotated_components() -> Callable[[Language], None]:
    """Make a callback for `initialize.before_init` that removes components without training data.

    spaCy cannot initialize a tagger or lemmatizer if the treebank leaves its column empty. The
    callback reads the corpus `training.train_corpus` (if it is streamed, the 100 examples from
    which spaCy initializes the pipeline), removes such components from the pipeline with a warning,
    and removes their scores from `training.score_weights`.

    Returns:
        The callback, a function of the pipeline. It raises ValueError if the pipeline has a parser,
        and this corpus or `training.dev_corpus` has no trees.
    """
    return _drop


def _drop(nlp: Language) -> None:
    trained = [name for name, pipe in nlp.pipeline if getattr(pipe, "is_trainable", False)]
    columns = {
        name: [
            _COLUMNS[attribute]
            for attribute in nlp.get_pipe_meta(name).assigns
            if attribute in _COLUMNS
        ]
        for name in trained
    }
    wanted = {attribute for found in columns.values() for attribute, _ in found}
    parsers = [name for name in trained if _TREES[0] in nlp.get_pipe_meta(name).assigns]
    if parsers:
        wanted.add(_TREES[1])
    config = nlp.config.interpolate()
    names = [config["training"][name] for name in ("train_corpus", "dev_corpus")]
    train, dev = resolve_dot_names(config, names)
    most = _STREAMED if config["training"]["max_epochs"] == -1 else None
    with _any_tokenizer(nlp):
        missing = _missing(islice(train(nlp), most), wanted)
        in_dev = _missing(dev(nlp), wanted & {_TREES[1]})
    for corpus, without in (("training", missing), ("dev", in_dev)):
        if _TREES[1] in without:
            raise ValueError(
                f"{' and '.join(parsers)} cannot be trained: the {corpus} corpus has no HEAD and "
                "no DEPREL. Give a treebank with trees, or remove the component from nlp.pipeline."
            )
    for name, found in columns.items():
        if found and all(attribute in missing for attribute, _ in found):
            _remove(nlp, name)
            logger.warning(
                "The pipeline is trained without %s: the training corpus has no %s.",
                name,
                " and no ".join(column for _, column in found),
            )


@contextmanager
def _any_tokenizer(nlp: Language) -> Iterator[None]:
    """Let readers tokenize before the tokenizer is trained, if the predicted Docs do not matter."""
    tokenizer = nlp.tokenizer
    nlp.tokenizer = Tokenizer(nlp.vocab)
    try:
        yield
    finally:
        nlp.tokenizer = tokenizer


def _missing(examples: Iterable[Example], attributes: set[str]) -> set[str]:
    """Find the attributes that no example has."""
    missing = set(attributes)
    for example in examples:
        missing -= {name for name in missing if example.reference.has_annotation(name)}
        if not missing:
            break
    return missing


def _remove(nlp: Language, name: str) -> None:
    """Remove a component, and its scores that no other component has."""
    scores = set(nlp.get_pipe_meta(name).default_score_weights or ())
    nlp.remove_pipe(name)
    for other in nlp.component_names:
        scores -= set(nlp.get_pipe_meta(other).default_score_weights or ())
    weights = nlp.config["training"]["score_weights"]
    for score in scores:
        weights.pop(score, None)
