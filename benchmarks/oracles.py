"""Train one parser under several oracles and seeds, and compare their scores.

    python benchmarks/oracles.py got-ud-train.conllu got-ud-dev.conllu training/oracles/gothic \\
        --oracles static-dynamic static --seeds 0 1 2

Every run is a `spacy train` and a `spacy_npparse evaluate` of its own, one after the other. Runs
whose scores are in the output folder already are not repeated, so that a stopped comparison goes
on where it was, and several processes can share the seeds out between them. The table gives the
mean over seeds and the standard deviation.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev

COLUMNS = (
    "UAS",
    "LAS",
    "LAS, non-projective sentences",
    "non-projective arcs P",
    "non-projective arcs R",
)


def main() -> None:
    """Do what is missing and print the table."""
    arguments = parse_arguments()
    rows = {
        oracle: [scores(run(arguments, oracle, seed)) for seed in arguments.seeds]
        for oracle in arguments.oracles
    }
    print(f"| oracle ({len(arguments.seeds)} seeds) |", " | ".join(COLUMNS), "|")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for oracle, runs in rows.items():
        print("|", " | ".join([oracle, *map(cell, zip(*runs, strict=True))]), "|")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("train", help="CoNLL-U file to train on")
    parser.add_argument("dev", help="CoNLL-U file to choose the best model on, and to report")
    parser.add_argument("output", type=Path, help="folder for the models and their scores")
    parser.add_argument("--oracles", nargs="+", default=["static-dynamic", "static"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--config", default="configs/accuracy.cfg")
    parser.add_argument("--parser", default="arc_hybrid_swap_parser", help="factory")
    return parser.parse_args()


def run(arguments: argparse.Namespace, oracle: str, seed: int) -> Path:
    """Train and evaluate unless that is done. Returns the file with the scores."""
    folder = arguments.output / f"{oracle}-{seed}"
    report = folder / "dev.json"
    if not report.exists():
        python(
            *("spacy", "train", arguments.config, "--output", folder),
            *("--paths.train", arguments.train, "--paths.dev", arguments.dev),
            *("--components.parser.factory", arguments.parser),
            *("--components.parser.oracle", oracle, "--system.seed", seed),
        )
        model = folder / "model-best"
        python("spacy_npparse", "evaluate", model, arguments.dev, "--json", report)
    return report


def python(*command: object) -> None:
    """Run a module as a user does. Raises CalledProcessError if it fails."""
    subprocess.run([sys.executable, "-m", *map(str, command)], check=True)


def scores(report: Path) -> list[float | None]:
    """The columns of the table, in percent; None where nothing was predicted."""
    content = json.loads(report.read_text(encoding="utf8"))
    official, crossing = content["official"], content["nonprojective"]
    values = [
        official["UAS"]["f1"],
        official["LAS"]["f1"],
        crossing["las"],
        crossing["precision"],
        crossing["recall"],
    ]
    return [None if value is None else 100 * value for value in values]


def cell(values: tuple[float | None, ...]) -> str:
    """Mean and standard deviation of the runs."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "-"
    return f"{mean(known):.2f}" + (f" ± {stdev(known):.2f}" if len(known) > 1 else "")


if __name__ == "__main__":
    main()
