"""Measure how often the dynamic oracle of arc_hybrid_swap proves its costs, and its CPU time.

    python benchmarks/dynamic_oracle.py got-ud-dev.conllu hu-ud-dev.conllu

Derivations follow the oracle, except that one transition in ten is drawn from all legal ones. The
next-to-last column is the share of the proven configurations in which the static-dynamic oracle
gives cost 0 to no transition, or to a transition that loses arcs.
"""

import argparse
import random
import time
from pathlib import Path

from tqdm import tqdm

from spacy_npparse import get_transition_system
from spacy_npparse.treebank import read_conllu

ERRORS = 0.1


def main() -> None:
    """Print a table with a row for each treebank."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+", type=Path, help="CoNLL-U files")
    parser.add_argument("--limit", type=int, default=None, help="sentences of each")
    arguments = parser.parse_args()
    print("| treebank | configurations | proven | where static-dynamic is wrong | ms each |")
    print("|---|---|---|---|---|")
    for path in arguments.treebanks:
        print("|", " | ".join([path.stem, *measure(path, arguments.limit)]), "|")


def measure(path: Path, limit: int | None) -> list[str]:
    """Return the cells of a row of the table."""
    system = get_transition_system("arc_hybrid_swap", single_root=False)
    rng = random.Random(0)
    total = proven = wrong = 0
    seconds = 0.0
    for sentence in tqdm(list(read_conllu(path))[:limit], disable=None, leave=False):
        heads = sentence.heads
        oracle = system.oracle("dynamic", heads)
        restricted = system.oracle("static-dynamic", heads)
        configuration = system.initial(len(heads) - 1)
        while not system.is_terminal(configuration):
            start = time.process_time()
            costs = oracle.costs(configuration)
            seconds += time.process_time() - start
            allowed = restricted.costs(configuration)
            total += 1
            if oracle.proven:
                proven += 1
                free = {name for name, cost in allowed.items() if cost == 0}
                wrong += not free or any(costs[name] > 0 for name in free)
            if rng.random() < ERRORS:
                transition = rng.choice(list(costs))
            else:
                transition = min(costs, key=lambda name: (costs[name], allowed[name]))
            configuration = system.apply(configuration, transition)
    return [
        str(total),
        f"{proven / total:.1%}",
        f"{wrong / proven:.1%}",
        f"{1000 * seconds / total:.2f}",
    ]


if __name__ == "__main__":
    main()
