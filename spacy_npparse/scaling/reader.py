"""The corpus reader of `spacy train` for annotated corpora."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import ClassVar

from spacy.vocab import Vocab

from spacy_npparse.checks import check_arguments
from spacy_npparse.scaling.formats import FORMATS
from spacy_npparse.scaling.manifest import read_manifest
from spacy_npparse.scaling.shards import ShardFiles, check_shard, read_record
from spacy_npparse.treebank import ConlluCorpus, Sentence
from spacy_npparse.treebank.corpus import Augmenter, CorpusPart
from spacy_npparse.treebank.encoding import Kinds, encode, has_tags
from spacy_npparse.workfolder import DamagedFileError


class CorpusShards(ConlluCorpus):
    """A corpus reader for a corpus that `annotate` has written in any format.

    By default, Docs have several sentences, so that a parser learns to find sentences. Every shard
    is compared with its checksum before it is read.

    Registered as the reader `spacy_npparse.CorpusShards.v1`.

    Args:
        path: The folder of the corpus.
        treebank: The name of the treebank; by default the name of the folder.
        sentences_per_doc: The number of sentences in a Doc, see `ConlluCorpus`; by default all
            sentences of a document.
        gold_sentences: Whether predicted Docs have the gold sentence starts.
        max_length: The maximum number of words in a Doc; 0 for no limit.
        limit: The maximum number of examples before augmentation; 0 for no limit.
        shuffle: Whether to shuffle the Docs in each pass. All shards are then in memory.
        augmenter: A function (nlp, example) -> examples, as in spaCy's readers.

    Raises:
        ValueError: `path` is None or empty, or a setting has the wrong type or is out of range.
    """

    _name: ClassVar = "spacy_npparse.CorpusShards.v1"
    _remedy: ClassVar = "Give the folder that `annotate` wrote."

    def __init__(
        self,
        path: str | Path | None,
        *,
        treebank: str | None = None,
        sentences_per_doc: int = 0,
        gold_sentences: bool = True,
        max_length: int = 500,
        limit: int = 0,
        shuffle: bool = False,
        augmenter: Augmenter | None = None,
    ) -> None:
        check_arguments(self._name, CorpusShards.__init__, {"path": path})
        super().__init__(
            path,
            treebank=treebank,
            sentences_per_doc=sentences_per_doc,
            gold_sentences=gold_sentences,
            max_length=max_length,
            limit=limit,
            shuffle=shuffle,
            augmenter=augmenter,
        )

    def _parts(self, vocab: Vocab) -> Iterator[CorpusPart]:
        # All shards are one source, because a document may continue in the next shard.
        (source,) = self.sources
        (treebank,) = self._treebanks()
        kinds = Kinds()
        shards = (
            [encode(sentence, vocab, kinds) for sentence in shard]
            for shard in self._shards(source.path)
        )
        # A shard is empty if the pipeline could not parse any of its texts.
        first = next(filter(None, shards), [])
        sentences = chain(first, chain.from_iterable(shards))
        yield CorpusPart(sentences, has_tags(first), treebank)

    def _treebanks(self) -> set[str]:
        (source,) = self.sources
        return {source.name or source.path.absolute().name}

    def _shards(self, folder: Path) -> Iterator[list[Sentence]]:
        try:
            manifest = read_manifest(folder)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"{folder}: no annotated corpus in this folder. {self._remedy}"
            ) from None
        files = ShardFiles(folder, manifest.settings["format"])
        records = [read_record(files, shard) for shard in manifest.shards]
        if n_missing := records.count(None):
            raise DamagedFileError(
                f"{folder}: {n_missing} of {len(records)} shards are missing. Run `annotate` "
                "again to complete them."
            )
        for shard, record in zip(manifest.shards, records, strict=True):
            assert record is not None
            try:
                check_shard(files, shard, record)
            except DamagedFileError as error:
                raise DamagedFileError(f"{error}. Run `annotate` again to replace it.") from None
            yield list(FORMATS[files.format].read(files.shard(shard)))
