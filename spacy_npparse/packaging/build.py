"""Building packages of trained models. Finished packages are not built again."""

from __future__ import annotations

import shutil
import subprocess
from collections import deque
from collections.abc import Collection, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.util import load_config

import spacy_npparse
from spacy_npparse.components import round_to_half
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.files import checksum
from spacy_npparse.laboratory import Run
from spacy_npparse.laboratory.pipeline import TrainedPipeline, parse_sentences, parse_text
from spacy_npparse.laboratory.runs import failure
from spacy_npparse.laboratory.schedule import begin_worker
from spacy_npparse.packaging.card import Measured, write_card
from spacy_npparse.packaging.sources import TreebankSource
from spacy_npparse.packaging.wheel import build_wheel, try_wheel
from spacy_npparse.scaling import Executor, cleaning_up_on_termination
from spacy_npparse.treebank import (
    paragraphs_of_treebank,
    read_conllu,
)
from spacy_npparse.workfolder import DamagedFileError, check_file, read_json, write_json

# The kinds of packages: the config, and the contestant that is trained with it.
KINDS = {"accuracy": "mh4", "fast": "arc_hybrid_swap"}
# What components other than the tokenizer and the parser predict, by their names.
_PREDICTED = {"tagger": "tags", "morphologizer": "tags", "lemmatizer": "lemmas"}
# The file for the licences of the training data, by convention in spaCy's packages.
_LICENCE = "LICENSES_SOURCES"


@dataclass(frozen=True)
class Package:
    """A package of a trained model. Its paths are absolute, for builds on other machines.

    Attributes:
        run: The run that trained the model and parsed the dev file.
        gold: The CoNLL-U file that the package is scored on.
        source: The treebank.
        kind: A key of `KINDS`.
        output: The folder of all packages. A package writes `wheels/NAME-VERSION-….whl`,
            `cards/NAME.md`, its picture, and `cards/NAME.json`, which records that it is finished.
    """

    run: Run
    gold: Path
    source: TreebankSource
    kind: str
    output: Path

    @property
    def name(self) -> str:
        """The name by which users install and load the package."""
        return f"{self.source.lang}_{self.source.name}_{self.kind}"

    @property
    def record(self) -> Path:
        """The file that records the finished package."""
        return self.output / "cards" / f"{self.name}.json"

    def is_finished(self) -> bool:
        """Whether its wheel and its card exist, made from this model and this metadata by this
        version."""
        try:
            known = read_json(self.record)
            for name, expected in known["files"].items():
                check_file(self.output / name, expected)
            return bool(known["made_from"] == self._made_from())
        except (DamagedFileError, KeyError, TypeError):
            return False

    def complete(self) -> str:
        """Build the package in this process.

        Returns:
            The error message; empty if the build succeeds.
        """
        with cleaning_up_on_termination():
            return failure(self._build)

    def _build(self) -> None:
        work = self.run.folder / "package"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        folder = work / self.name
        measured = self._measured(folder)
        meta = dict(read_json(folder / "meta.json"))
        meta |= self._meta(measured, meta["pipeline"])
        write_json(meta, folder / "meta.json", indent=2)
        write_card(folder, meta, self.source, measured)
        if (licence := self.source.licence_file) is not None:
            shutil.copyfile(licence, folder / _LICENCE)
        wheel = build_wheel(folder, work)
        try_wheel(wheel, self.name, self.gold, measured.text, work)
        cards, wheels = self.record.parent, self.output / "wheels"
        for target in (cards, wheels):
            target.mkdir(parents=True, exist_ok=True)
        picture = f"{self.name}.svg"
        copies = {
            wheels / wheel.name: wheel,
            cards / f"{self.name}.md": folder / "README.md",
            cards / picture: folder / picture,
        }
        for target, file in copies.items():
            shutil.copyfile(file, target)
        record = {
            "made_from": self._made_from(),
            "files": {str(p.relative_to(self.output)): checksum(p) for p in copies},
            "wheel": wheel.name,
            "bytes": wheel.stat().st_size,
            "meta": {name: value for name, value in meta.items() if name != "labels"},
        }
        write_json(record, self.record, indent=2)
        shutil.rmtree(work)

    def _measured(self, folder: Path) -> Measured:
        """Write the pipeline and compute its scores. The weights are rounded to half precision
        unless this changes a tree of the dev file."""
        dev, gold = (list(read_conllu(path)) for path in (self.run.gold, self.gold))
        before = parse_sentences(self._trained(), dev).sentences
        nlp = self._write_pipeline(folder, half=True)
        parsed = parse_sentences(nlp, dev).sentences
        changed = sum(
            (one.head, one.deprel) != (other.head, other.deprel)
            for pair in zip(before, parsed, strict=True)
            for one, other in zip(*(sentence.words for sentence in pair), strict=True)
        )
        if changed:
            nlp = self._write_pipeline(folder, half=False)
            parsed = parse_sentences(nlp, dev).sentences
        text = parse_text(nlp, list(paragraphs_of_treebank(gold)))
        return Measured(
            text=score_sentences(gold, text.sentences),
            tokens=score_sentences(gold, parse_sentences(nlp, gold).sentences),
            file=self.gold.name,
            is_test=self.gold != self.run.gold,
            dev=dev,
            parsed=parsed,
            changed=changed,
            n_train=sum(1 for _ in read_conllu(self.run.task.train)),
        )

    def _write_pipeline(self, folder: Path, *, half: bool) -> Language:
        """Write the pipeline with spaCy's class for its language, and load it."""
        shutil.rmtree(folder, ignore_errors=True)
        nlp = self._trained()
        if half:
            round_to_half(nlp)
        nlp.to_disk(folder)
        config = load_config(folder / "config.cfg", interpolate=False)
        config["nlp"]["lang"] = self.source.spacy_lang
        # These paths belong to the machine of the training.
        config["paths"].update(train=None, dev=None)
        config["training"]["logger"] = {"@loggers": "spacy.ConsoleLogger.v3"}
        config.to_disk(folder / "config.cfg")
        return spacy.load(folder)

    def _trained(self) -> Language:
        contestant = self.run.contestant
        assert isinstance(contestant, TrainedPipeline)
        return contestant.load(self.run.model)

    def _meta(self, measured: Measured, names: Collection[str]) -> dict[str, Any]:
        """Describe the package. names: those of the components of the pipeline."""
        source = self.source
        columns = dict.fromkeys(_PREDICTED[name] for name in names if name in _PREDICTED)
        treebank = {
            "name": source.title,
            "language": source.language,
            "url": source.url,
            "author": source.authors,
            "license": source.licence,
            "references": source.references,
        }
        return {
            "lang": source.lang,
            "name": f"{source.name}_{self.kind}",
            "version": spacy_npparse.__version__,
            "description": f"{', '.join(['Tokens', *columns])} and dependency trees, "
            f"non-projective ones too, as in {source.title}.",
            "license": source.licence,
            "sources": [treebank],
            "performance": {
                "file": measured.file,
                "plain_text": measured.text.as_dict(),
                "gold_tokens": measured.tokens.as_dict(),
            },
            "spacy_npparse": {
                "version": spacy_npparse.__version__,
                "commit": _commit(),
                "config": f"{self.kind}.cfg",
                "parser": f"{KINDS[self.kind]}_parser",
                "seed": self.run.seed,
                "updates": self.run.task.updates,
                "precision": "single" if measured.changed else "half",
            },
        }

    def _made_from(self) -> dict[str, str | None]:
        source, licence = self.source, self.source.licence_file
        return {
            "language": source.language,
            "licence": source.licence,
            "authors": source.authors,
            "references": source.references,
            "licence_file": checksum(licence) if licence else None,
            "run": checksum(self.run.prediction.with_suffix(".json")),
            "gold": checksum(self.gold),
            "version": spacy_npparse.__version__,
        }


def build_packages(
    packages: Iterable[Package], executor: Executor
) -> Generator[tuple[Package, str], None, None]:
    """Build packages. Stopping the iteration stops all builds.

    Args:
        packages: The packages, whose models are trained.
        executor: The executor that runs the builds.

    Yields:
        Each package when its build ends, and the error message, empty if the build succeeds.
    """
    waiting = deque(packages)
    with executor(begin_worker) as tasks:
        while waiting or tasks.running:
            while waiting and tasks.idle:
                package = waiting.popleft()
                tasks.start(package, package.complete)
            for package, end in tasks.ended():
                yield package, str(end)


def _commit() -> str | None:
    """Find the commit of this package, marked as `dirty` if files differ from it; None outside a
    clone."""
    root = Path(spacy_npparse.__file__).parents[1]
    if not (root / ".git").exists():
        return None
    with suppress(OSError, subprocess.CalledProcessError):
        command = "git describe --always --dirty --abbrev=40 --exclude=*".split()
        found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        return found.stdout.strip()
    return None
