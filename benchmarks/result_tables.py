"""Render the tables of the README and of pages in docs/explanation from docs/results.json.

A table is between the lines `<!-- results: NAME -->` and `<!-- end -->`. `benchmarks/results.py`
writes the file and the tables.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from spacy_npparse.evaluation.leaderboard import TREE_SCORES
from spacy_npparse.evaluation.metrics import SEGMENTATION, TAGS, TREES

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results.json"
EXPLANATION = ROOT / "docs" / "explanation"
PAGES = [ROOT / "README.md", EXPLANATION / "results.md"]
# The number of updates in comparisons of all systems with the same budget.
BUDGET = 1000
PLAIN, GOLD, CLAIMED = "plain text", "gold tokens", "claims"
# The UAS in Gómez-Rodríguez, Shi and Lee (2018, table 4), means of five seeds.
PAPER = {
    "Gothic-PROIEL": {"mh4": 84.59, "one_endpoint_crossing": 84.77, "mst": 84.74},
    "Hungarian-Szeged": {"mh4": 84.59, "one_endpoint_crossing": 83.48, "mst": 82.81},
}
_SCORES = {**{m.label: m for m in (*SEGMENTATION, *TAGS, *TREES)}, **TREE_SCORES}
_SEGMENTATION = [metric.label for metric in SEGMENTATION]
_NONPROJECTIVE = [label for label in TREE_SCORES if label.endswith(" np")]
_MARKED = re.compile("(<!-- results: ([^>]+) -->\n).*?(\n<!-- end -->)", re.DOTALL)


class System(NamedTuple):
    """A system whose scores are averaged over seeds.

    Attributes:
        treebank: The name of a folder without UD_.
        config: The name of a config of this package.
        updates: The number of updates of each training; None for the number in the config.
        parser: The name of a contestant.
    """

    treebank: str
    config: str
    updates: int | None
    parser: str

    @property
    def name(self) -> str:
        """The name of the parser, and its config or number of updates."""
        trained = f"`{self.config}.cfg`" if self.updates is None else f"{self.updates:,} updates"
        return f"`{self.parser}`, {trained}"


Runs = Sequence[Mapping[str, Any]]
Systems = Mapping[System, Runs]
# The content of docs/results.json: runs and claims.
Results = Mapping[str, Runs]
# Returns the cell for the runs of a system; an empty string if the value is unknown.
Column = Callable[[Runs], str]


def rendered(page: str, results: Results) -> str:
    """Return a page with updated tables.

    Args:
        page: The text of the page.
        results: The content of docs/results.json.
    """
    systems: dict[System, list[Mapping[str, Any]]] = {}
    for run in results["runs"]:
        systems.setdefault(System(*(run[field] for field in System._fields)), []).append(run)

    def replaced(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        made = claims(results["claims"]) if name == CLAIMED else _TABLES[name](systems)
        return "\n".join(filter(None, [begin, made, end]))

    return _MARKED.sub(replaced, page)


def score(name: str, source: str) -> Column:
    """Return a column with the mean and the standard deviation of a score."""

    def written(runs: Runs) -> str:
        values = [run[source].get(_SCORES[name].value) for run in runs]
        if not values or None in values:
            return ""
        return f"{mean(values):.2f}" + (f" ± {stdev(values):.2f}" if len(values) > 1 else "")

    return written


def measured(name: str) -> Column:
    """Return a column with the mean of a measurement."""

    def written(runs: Runs) -> str:
        values = [run[name] for run in runs]
        return "" if None in values else f"{mean(values):,.0f}"

    return written


def table(
    chosen: Callable[[System], bool],
    columns: Mapping[str, Column],
    name: Callable[[System], str] = lambda system: system.name,
    best_first: bool = False,
) -> Callable[[Systems], str]:
    """Return a function that renders a table with a row for each system, treebank by treebank.

    Args:
        chosen: Whether a system is in the table.
        columns: The columns by their headings.
        name: Returns the name of the parser of a system; an empty string if it has no column.
        best_first: Whether the systems of a treebank are sorted by their LAS with gold tokens.
    """

    def written(systems: Systems) -> str:
        picked = [system for system in systems if chosen(system)]
        treebanks = dict.fromkeys(system.treebank for system in picked)
        if best_first:
            picked.sort(key=lambda one: -mean(run[GOLD]["LAS"] for run in systems[one]))
        return markdown(
            [
                {
                    "treebank": one.treebank,
                    "parser": name(one),
                    "seeds": str(len(systems[one])),
                    **{heading: column(systems[one]) for heading, column in columns.items()},
                }
                for treebank in treebanks
                for one in picked
                if one.treebank == treebank
            ]
        )

    return written


def by_treebank(systems: Systems) -> str:
    """Render the LAS from plain text on each treebank that has several systems."""
    shown = list(filter(_has_own_updates, systems))
    names = [system.treebank for system in shown]
    rows: dict[str, dict[str, str]] = {}
    for one in shown:
        if names.count(one.treebank) > 1:
            row = rows.setdefault(one.name, {"LAS from plain text": one.name})
            row[one.treebank] = score("LAS", PLAIN)(systems[one])
    return markdown(list(rows.values()))


def claims(found: Runs) -> str:
    """Render the difference in LAS, its standard deviation and its p-value for each claim on each
    treebank."""
    rows: dict[str, dict[str, str]] = {}
    for one in found:
        p = "p < 0.001" if one["p"] < 0.001 else f"p = {one['p']:.2g}"
        row = rows.setdefault(one["claim"], {"claim": one["claim"]})
        deviation = "" if one["deviation"] is None else f" ± {one['deviation']:.2f}"
        # Without + 0.0, -0.001 would be -0.00.
        row[one["treebank"]] = f"{round(one['difference'], 2) + 0.0:+.2f}{deviation}, {p}"
    return markdown(list(rows.values()))


def markdown(rows: Sequence[Mapping[str, str]]) -> str:
    """Render a table without empty columns, or an empty string if there are no rows."""
    headings = dict.fromkeys(name for row in rows for name, cell in row.items() if cell)
    lines = [[*headings], ["---"] * len(headings)]
    lines += [[row.get(heading) or "-" for heading in headings] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


def _is_main(system: System) -> bool:
    return system[1:] == ("accuracy", None, "mh4")


def _has_own_updates(system: System) -> bool:
    return system.updates != BUDGET


def _paper(runs: Runs) -> str:
    value = PAPER.get(runs[0]["treebank"], {}).get(runs[0]["parser"])
    return "" if value is None else f"{value:.2f}"


_TABLES: dict[str, Callable[[Systems], str]] = {
    "summary": table(
        _is_main,
        {
            **{n: score(n, PLAIN) for n in ("Words", "Sentences", "UPOS", "Lemmas", "UAS", "LAS")},
            **{f"{name}, gold tokens": score(name, GOLD) for name in ("UAS", "LAS")},
        },
        name=lambda _: "",
    ),
    "by treebank": by_treebank,
    PLAIN: table(
        _has_own_updates,
        {
            **{name: score(name, PLAIN) for name in _SCORES if name not in _NONPROJECTIVE},
            "words/s": measured("words_per_second"),
        },
    ),
    GOLD: table(
        _has_own_updates,
        {
            **{name: score(name, GOLD) for name in _SCORES if name not in _SEGMENTATION},
            "UAS of the paper": _paper,
            "training, CPU minutes": measured("minutes"),
        },
    ),
    "budget": table(
        lambda system: not _has_own_updates(system),
        {name: score(name, GOLD) for name in ("UAS", "LAS", *_NONPROJECTIVE)},
        name=lambda system: f"`{system.parser}`",
        best_first=True,
    ),
    "data": table(
        _is_main,
        {
            "words in train": measured("train_words"),
            "SHA-256 of train": lambda runs: runs[0]["checksums"]["train"][:12],
            "SHA-256 of dev": lambda runs: runs[0]["checksums"]["dev"][:12],
            "version": lambda runs: runs[0]["version"],
        },
        name=lambda _: "",
    ),
}
