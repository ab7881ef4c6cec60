"""Loading a trained pipeline and running it over many texts."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.cli._app import fail
from spacy_npparse.cli._report import progress
from spacy_npparse.errors import UserError
from spacy_npparse.imported_code import import_code
from spacy_npparse.models import use_treebank
from spacy_npparse.treebank import Kept
from spacy_npparse.treebank.annotating import Prepared, annotate_sources

S = TypeVar("S")
GpuId = Annotated[int, typer.Option("--gpu-id", help="Number of the GPU; -1 is the CPU.")]
BatchSize = Annotated[
    int | None,
    typer.Option(
        min=1, help="Docs (or sentences) per batch.  [default: the batch size of the pipeline]"
    ),
]
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="Folder of a trained pipeline (DIR/model-best), or name of an installed package.",
    ),
]
Code = Annotated[
    Path | None,
    typer.Option("--code", "-c", help="Python file with registered functions to import first."),
]
Keep = Annotated[
    list[Kept] | None,
    typer.Option(
        case_sensitive=False,
        help="Copy this annotation from the input, whatever the pipeline predicts. Can be "
        "repeated.",
    ),
]

Treebank = Annotated[
    str | None,
    typer.Option(
        help="Parse in the style of this treebank, if the pipeline was trained on several: a name, "
        "or weights such as en_lines=0.7,sv_lines=0.3."
    ),
]


def load_parser(name: str, gpu_id: int, code: Path | None, treebank: str | None = None) -> Language:
    """Load a pipeline that parses, or end the program with an error message.

    Args:
        name: The pipeline's folder, or the name of an installed package, as in `spacy.load`.
        gpu_id: The number of the GPU; -1 is the CPU.
        code: A Python file to import first.
        treebank: The name of a treebank to parse in the style of, or weights of several.

    Returns:
        The pipeline.

    Raises:
        UnknownTreebankError: The pipeline was not trained on the treebank.
    """
    import_code(code)
    if gpu_id >= 0:
        try:
            spacy.require_gpu(gpu_id)
        except Exception as error:  # of every kind that thinc, CuPy and CUDA have
            fail(f"GPU {gpu_id}: {error}. Install CuPy for this machine's CUDA, or use the CPU.")
    if not Path(name).exists() and not spacy.util.is_package(name):
        fail(
            f"{name}: no such pipeline. Give the folder that `spacy train` wrote (DIR/model-best) "
            "or the name of an installed package."
        )
    for inner in ("model-best", "model-last"):
        if Path(name, inner, "config.cfg").is_file():
            fail(f"{name} is the folder of a training. Give a pipeline in it: {name}/{inner}")
    try:
        nlp = spacy.load(name)
    except UserError as error:
        fail(f"{name}: {error}")
    except Exception as error:  # damaged files raise almost any kind
        reason = textwrap.shorten(str(error), 300, placeholder=" …") or "no message"
        fail(
            f"{name}: this pipeline cannot be loaded ({type(error).__name__}: {reason}). Give a "
            "complete pipeline, install the packages that it needs, and give --code if it was "
            "trained with it."
        )
    if not any("token.dep" in nlp.get_pipe_meta(pipe).assigns for pipe in nlp.pipe_names):
        fail(f"{name}: this pipeline has no parser, only: {', '.join(nlp.pipe_names) or 'nothing'}")
    if treebank is not None:
        use_treebank(nlp, treebank)
    return nlp


class Annotation(Iterator[tuple[S, Doc]]):
    """Pairs of a source and the Doc that a pipeline has annotated, with a progress bar.

    Args:
        nlp: The pipeline.
        pairs: Pairs of a source, which is passed through, and the input of the pipeline: a
            paragraph, or a Doc whose tokens are kept.
        n_pairs: The number of pairs.
        batch_size: The number of Docs in a batch; None for that of the pipeline.
        n_process: The number of processes.

    Attributes:
        n_words: The number of words annotated so far.
        n_sentences: The number of sentences annotated so far.
    """

    def __init__(
        self,
        nlp: Language,
        pairs: Iterable[tuple[S, Prepared]],
        n_pairs: int,
        batch_size: int | None = None,
        n_process: int = 1,
    ) -> None:
        size = batch_size or nlp.batch_size
        found = annotate_sources(nlp, pairs, batch_size=size, n_process=n_process)
        self._found = iter(progress(found, "doc", n_pairs))
        self._start = time.perf_counter()
        self.n_words = 0
        self.n_sentences = 0

    def __next__(self) -> tuple[S, Doc]:
        source, doc = next(self._found)
        self.n_words += sum(not token.is_space for token in doc)
        self.n_sentences += sum(1 for _ in doc.sents) if len(doc) else 0
        return source, doc

    def summary(self) -> str:
        """Summarise what has been annotated.

        Returns:
            Sentences, words, and words per second.
        """
        seconds = time.perf_counter() - self._start
        return (
            f"{self.n_sentences:,} sentences, {self.n_words:,} words in {seconds:.1f} s "
            f"({self.n_words / seconds:,.0f} words/s)"
        )
