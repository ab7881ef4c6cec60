"""Measure the time and memory of parsing one long sentence, with each parser in a new process.

    python benchmarks/long_sentences.py
    python benchmarks/long_sentences.py --words 1500 --parsers mst mh4 one_endpoint_crossing

The weights are random, and the sentence is not split: `sentences = "preset"`. The time is the CPU
time of the whole pipeline on one thread, encoder included. The memory is the peak of the process
after a short sentence (`MB before`) and after the long sentence; both include the libraries.
"""

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.treebank import ConlluCorpus

SAMPLE = Path(__file__).parents[1] / "assets" / "sample_treebank"
PARSERS: dict[str, tuple[str, dict[str, Any]]] = {
    "arc_hybrid": ("arc_hybrid_parser", {}),
    "arc_hybrid_swap": ("arc_hybrid_swap_parser", {}),
    "arc_hybrid_swap, beam of 8": ("arc_hybrid_swap_parser", {"decoder": {"beam_width": 8}}),
    "covington": ("covington_parser", {}),
    "covington, beam of 8": ("covington_parser", {"decoder": {"beam_width": 8}}),
    "mh3": ("mh3_parser", {}),
    "mh4": ("mh4_parser", {}),
    "mh4, greedy": ("mh4_parser", {"search": "greedy"}),
    "one_endpoint_crossing": ("one_endpoint_crossing_parser", {}),
    "mst": ("mst_parser", {}),
    # The members are parsers that are added before the ensemble.
    "ensemble": ("ensemble_parser", {"members": ["mst", "mh4", "one_endpoint_crossing"]}),
}


def main() -> None:
    """Print a line for each parser."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=5000)
    parser.add_argument("--parsers", nargs="+", choices=sorted(PARSERS), default=list(PARSERS))
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(f"| {arguments.only} | {measure(arguments.only, arguments.words)} |")
        return
    print("| parser | s | MB before | MB |")
    print("|---|---|---|---|", flush=True)
    for name in arguments.parsers:
        words = str(arguments.words)
        subprocess.run([sys.executable, __file__, "--words", words, "--only", name], check=True)


def measure(name: str, n_words: int) -> str:
    """Measure seconds, and megabytes before and after, and return them as cells of a table."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    nlp = spacy.blank("xx")
    factory, settings = PARSERS[name]
    for member in settings.get("members", ()):
        nlp.add_pipe(PARSERS[member][0], name=member, config={"sentences": "preset"})
    nlp.add_pipe(factory, config={"sentences": "preset", **settings})
    examples = list(ConlluCorpus(SAMPLE, limit=10)(nlp))
    nlp.initialize(lambda: examples)
    forms = [token.text for example in examples for token in example.reference]
    parse(nlp, forms[:20])
    before = peak()
    start = time.process_time()
    parse(nlp, (forms * (n_words // len(forms) + 1))[:n_words])
    return f"{time.process_time() - start:.1f} | {before:.0f} | {peak():.0f}"


def parse(nlp: Language, words: list[str]) -> None:
    """Parse words as one sentence."""
    doc = nlp(Doc(nlp.vocab, words))
    assert sum(token.head == token for token in doc) == 1, "not a single root"


def peak() -> float:
    """Return the peak memory of the process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
