"""Measure the CPU time and memory of initialization and first updates on a large treebank.

The program repeats treebanks to make a CoNLL-U file with the requested number of words. In the
repetitions, a quarter of the content words get letters at the end of the form and the lemma, so
that the number of different words grows as in new text. A separate process then initializes and
updates a pipeline as `spacy train` does. The figures describe this process; the CPU time includes
UDPipe's trainer.

    python benchmarks/large_treebanks.py 3000000 fr_sequoia-ud-train.conllu tr-ud-train.conllu
    python benchmarks/large_treebanks.py 3000000 got-ud-train.conllu --keep large.conllu
"""

import argparse
import multiprocessing
import os
import random
import resource
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import spacy_npparse

CONTENT = {"ADJ", "ADV", "NOUN", "PROPN", "VERB"}
LETTERS = "aeioubdfgklmnprst"
VARIED = 0.25
CONFIG = Path(spacy_npparse.__file__).parent.parent / "configs/accuracy.cfg"


def main() -> None:
    """Make the file, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", type=int, help="of the file")
    parser.add_argument("treebanks", nargs="+", type=Path, help="CoNLL-U files")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--parser", default="mh4", help="factory without `_parser`")
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="keep the file under this name, or use it again")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = arguments.keep or Path(folder, "large.conllu")
        if not path.exists():
            with path.open("w", encoding="utf-8") as file:
                file.writelines(repeated(arguments.treebanks, arguments.words))
        sizes = Counter({"words": 0, "sentences": 0})
        forms = set()
        with path.open(encoding="utf-8") as file:
            for line in file:
                number, _, rest = line.partition("\t")
                sizes["words"] += number.isdigit()
                sizes["sentences"] += number == "1"
                forms.add(hash(rest.partition("\t")[0]))
        print(f"{sizes['sentences']:,} sentences, {sizes['words']:,} words, {len(forms):,} forms")
        process = multiprocessing.get_context("spawn").Process(
            target=train, args=(path, sizes["words"], arguments)
        )
        process.start()
        process.join()


def repeated(treebanks: list[Path], n_words: int) -> Iterator[str]:
    """Repeat the lines of the treebanks until there are enough words."""
    rng = random.Random(0)
    for repetition in count():
        for path in treebanks:
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                if line == "\n" and n_words <= 0:
                    yield line
                    return
                number, _, _ = line.partition("\t")
                n_words -= number.isdigit()
                yield varied(line, rng) if repetition and number.isdigit() else line


def varied(line: str, rng: random.Random) -> str:
    """Return the line of a word, perhaps with letters at the end of its form and its lemma."""
    columns = line.split("\t")
    if columns[3] in CONTENT and rng.random() < VARIED:
        ending = "".join(rng.choices(LETTERS, k=rng.randint(1, 2)))
        columns[1:3] = (column + ending for column in columns[1:3])
    return "\t".join(columns)


def train(path: Path, n_words: int, arguments: argparse.Namespace) -> None:
    """Initialize and update a pipeline, and print the time and the memory."""
    import torch
    from spacy.training.initialize import init_nlp
    from spacy.util import load_config
    from updates import Updates

    from spacy_npparse.treebank import ConlluCorpus, ConlluReader

    torch.set_num_threads(1)
    first = cpu_seconds(), resident()
    overrides = {
        "paths.train": str(path),
        "paths.dev": str(arguments.treebanks[0]),
        "components.parser.factory": f"{arguments.parser}_parser",
    }
    with counted(ConlluReader, "__init__") as reads, counted(ConlluCorpus, "__call__") as passes:
        nlp = init_nlp(load_config(arguments.config, overrides=overrides))
        say("initialization", first, n_words)
        print(f"read {len(reads)} times, examples made {len(passes)} times", flush=True)
    updates = Updates(nlp)
    for _ in range(arguments.updates):
        updates.update(updates.batch())
    say(f"and {arguments.updates} updates", first, n_words)


def say(what: str, first: tuple[float, int], n_words: int) -> None:
    """Print CPU time and memory. first: CPU time and memory after all imports."""
    seconds, n_bytes = cpu_seconds(), resident()
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(
        f"{what}: {(seconds - first[0]) / 60:.2f} CPU minutes; memory {n_bytes / 1e9:.2f} GB, "
        f"at most {most / 1e9:.2f} GB ({(most - first[1]) / n_words:.0f} bytes a word), "
        f"UDPipe's trainer {children / 1e9:.2f} GB",
        flush=True,
    )


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children."""
    return sum(os.times()[:4])


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@contextmanager
def counted(owner: Any, name: str) -> Iterator[list[None]]:
    """Yield a list whose length is the number of calls of a method so far."""
    calls: list[None] = []
    method = getattr(owner, name)

    def counting(*arguments: Any, **settings: Any) -> Any:
        calls.append(None)
        return method(*arguments, **settings)

    with patch.object(owner, name, counting):
        yield calls


if __name__ == "__main__":
    main()
