"""Loading a trained pipeline and running it over many texts."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from spacy_npparse.cli._app import fail

GpuId = Annotated[int, typer.Option("--gpu-id", help="Number of the GPU; -1 for the CPU.")]
BatchSize = Annotated[int, typer.Option(min=1, help="Docs that the pipeline takes at once.")]
Model = Annotated[Path, typer.Argument(help="Folder of a trained pipeline, such as model-best.")]


def load_parser(path: Path, gpu_id: int) -> Language:
    """Load a pipeline that parses; end the program with a message if that cannot be done.

    path: the pipeline's folder, or the name of an installed package.
    gpu_id: -1 for the CPU.
    """
    if gpu_id >= 0:
        try:
            spacy.require_gpu(gpu_id)
        except Exception as error:  # of every kind that thinc, CuPy and CUDA have
            fail(f"GPU {gpu_id}: {error}. Install CuPy for this machine's CUDA, or use the CPU.")
    if not path.exists() and not spacy.util.is_package(str(path)):
        fail(f"{path}: no such pipeline. Give the folder that `spacy train` wrote: DIR/model-best.")
    try:
        nlp = spacy.load(path)
    except Exception as error:  # damage shows as almost any kind
        reason = textwrap.shorten(str(error), 300, placeholder=" …") or "no message"
        fail(
            f"{path}: this pipeline cannot be loaded ({type(error).__name__}: {reason}). Give a "
            "folder that `spacy train` wrote, complete and with the packages that it needs "
            "installed."
        )
    if not any("token.dep" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        fail(f"{path}: this pipeline has no parser, only: {', '.join(nlp.pipe_names) or 'nothing'}")
    return nlp


class Annotation(Iterator[Doc]):
    """Docs on their way through a pipeline, with a progress bar; counts them and the time.

    nlp: the pipeline.
    inputs: texts, or Docs whose tokens are kept.
    """

    def __init__(
        self, nlp: Language, inputs: Iterable[Doc | str], batch_size: int, n_process: int = 1
    ) -> None:
        total = len(inputs) if isinstance(inputs, Sized) else None
        docs: Iterable[Doc] = nlp.pipe(inputs, batch_size=batch_size, n_process=n_process)
        # disable=None: no bar where stderr is no terminal.
        self._docs = iter(tqdm(docs, total=total, unit="doc", disable=None))
        self._start = time.perf_counter()
        self.n_words = 0
        self.n_sentences = 0

    def __next__(self) -> Doc:
        doc = next(self._docs)
        self.n_words += sum(not token.is_space for token in doc)
        self.n_sentences += sum(1 for _ in doc.sents) if len(doc) else 0
        return doc

    def summary(self) -> str:
        """What has been annotated since the beginning, and how fast."""
        seconds = time.perf_counter() - self._start
        return (
            f"{self.n_sentences:,} sentences, {self.n_words:,} words in {seconds:.1f} s "
            f"({self.n_words / seconds:,.0f} words/s)"
        )
