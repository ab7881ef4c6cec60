"""Pages of reports, which must be complete, correct and self-contained."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from report_helpers import SAMPLE, SOURCE, many_parsers, several_treebanks, three_parsers

from spacy_npparse.evaluation import ParserComparison, compare_parsers
from spacy_npparse.evaluation.reliability import CalibrationComparison, reliability
from spacy_npparse.evaluation.sweep import make_sweep
from spacy_npparse.tables import Cell, Column, Table
from spacy_npparse.treebank import parse_sentence, read_conllu
from spacy_npparse.treebank.statistics import Statistics, treebank_statistics
from spacy_npparse.visualisation import (
    render_calibration,
    render_comparison,
    render_leaderboard,
    render_statistics,
    render_sweep,
)
from spacy_npparse.visualisation.page import static, templates

VOID = {"meta"}


class Balance(HTMLParser):
    """A parser that checks that all elements of a page are closed, and collects their IDs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(page: str) -> None:
    """Check that a page is well-formed and self-contained."""
    library = static("vendor/chart.umd.min.js")
    assert page.count(library) == 1 and len(page.encode()) < 500_000
    page = page.replace(library, "")
    ids = Balance(page).ids
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"https?://[^\"\s]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|img|iframe)|\bsrc=|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page and page.count("<style>") == 1
    assert not re.search(r"\b(nan|None|inf)\b", re.sub(r"<title>.*?</title>", "", page))
    assert "a&lt;b.conllu" in page and "SHA-256 0123abcd" in page
    assert "spacy_npparse 1.2.3" in page and SOURCE.command in page


@pytest.fixture(scope="module")
def comparison() -> ParserComparison:
    return three_parsers()


def test_calibration_page() -> None:
    right = np.array([1, 1, 0, 1])
    before = reliability(np.array([0.5, 0.75, 0.5, 1.0]), right)
    after = reliability(np.array([0.5, 1.0, 0.25, 1.0]), right)
    found = CalibrationComparison({"heads": (1.0, 0.5)}, {"heads": (before, after)})
    page = render_calibration(found, SOURCE)
    check_page(page)
    assert page.count('<canvas role="img" aria-label="Reliability diagram of heads"') == 1
    assert "Temperatures: heads 0.500" in page
    # The table of the plot has the bins before and after calibration.
    assert page.count("<td>50.00</td>") == 3 and page.count("<td>75.00</td>") == 3


def test_comparison_page(comparison: ParserComparison) -> None:
    page = render_comparison(comparison, SOURCE, n_sentences=3)
    check_page(page)
    assert page == render_comparison(comparison, SOURCE, n_sentences=3)
    assert "<h1>Comparison of 3 parsers</h1>" in page and "&lt;flat&gt;" in page
    # There are ten plots. The trees of flat and same are equal and drawn once.
    assert page.count('<canvas role="img" aria-label="') == 10
    assert page.count("<summary>Figures</summary>") == 10
    assert page.count('class="npparse npparse-tree"') == 6
    for sentence in comparison.most_different(3):
        name = f"dev-{sentence + 1}"
        assert f'<figure id="{name}">' in page and f'href="#{name}"' in page
    assert "npparse-gold" in page and "wrong head" in page


def test_every_score_that_differs_is_in_the_table(comparison: ParserComparison) -> None:
    page = render_comparison(comparison, SOURCE)
    scores = page.split('aria-label="Scores"')[1]
    half = comparison.parsers[1]
    for name in ("UAS", "LAS", "CLAS", "Exact match", "Non-projective sentences predicted"):
        row = re.findall(rf'<th scope="row">{name}</th>(.*?)</tr>', scores)[0]
        assert (
            f"{100 * (half.mean(name) or 0):.2f} ± {100 * (half.deviation(name) or 0):.2f}" in row
        )
    assert "The same everywhere: Tokens 100.00" in page


def test_many_pairs_are_folded() -> None:
    gold = list(read_conllu(SAMPLE))[:2]
    for n_parsers, n_folded in ((5, 0), (6, 1)):
        parsers = {f"p{i}": {"f": gold} for i in range(n_parsers)}
        page = render_comparison(compare_parsers(gold, parsers), SOURCE)
        check_page(page)
        assert page.count("<summary>All pairs</summary>") == n_folded
        assert page.count(">LAS: p") == n_parsers * (n_parsers - 1) // 2


def test_parsers_that_do_not_differ(comparison: ParserComparison) -> None:
    gold = comparison.gold
    page = render_comparison(compare_parsers(gold, {"a": {"a": gold}, "b": {"b": gold}}), SOURCE)
    check_page(page)
    assert "npparse-tree" not in page.split("</style>")[1].split("<script>")[0]
    assert "LAS 100.00" in page


def test_without_crossing_arcs() -> None:
    rows = ["1\ta\t_\t_\t_\t_\t0\troot\t_\t_", "2\tb\t_\t_\t_\t_\t1\tdep\t_\t_"]
    gold = [parse_sentence(rows)]
    other = [parse_sentence([rows[0], rows[1].replace("dep", "x")])]
    page = render_comparison(compare_parsers(gold, {"a": {"a": gold}, "b": {"b": other}}), SOURCE)
    check_page(page)
    assert "1 of 2 words right" in page and "Non-projective arcs: recall" in page


@pytest.fixture(scope="module")
def statistics() -> Statistics:
    return treebank_statistics(read_conllu(SAMPLE))


def test_statistics_page(statistics: Statistics) -> None:
    page = render_statistics(statistics, SOURCE, title="Of <dev>")
    check_page(page)
    assert "<h1>Of &lt;dev&gt;</h1>" in page
    for name, count, note in statistics.counts().rows:
        assert f'<th scope="row">{name}</th><td>{count:,}</td><td>{note}</td>' in page
    lengths = [
        int(count.replace(",", ""))
        for count in re.findall(r'<th scope="row">[\d–]+</th><td>([\d,]+)</td>', page)
    ]
    assert sum(lengths) == statistics.sentences
    for system, oracles in statistics.derivations.items():
        for oracle, found in oracles.items():
            name = f"{system} {oracle}"
            share = 100 * found.sentences / statistics.sentences
            assert f"<dt>{name}</dt><dd>{share:.2f} % ({found.sentences:,})</dd>" in page
            assert f"<dt>{name}</dt><dd>{found.transitions / found.words:.2f}</dd>" in page
            if found.reorderings is not None:
                average = found.reorderings / found.sentences
                assert f"<dt>{name}</dt><dd>{average:.3f}</dd>" in page


@pytest.mark.parametrize("longest, width", [(30, 1), (31, 2), (150, 5), (151, 10), (4000, 200)])
def test_sentence_lengths_in_few_bars(longest: int, width: int, statistics: Statistics) -> None:
    words = [f"{i}\tw\t_\t_\t_\t_\t{i - 1}\tdep\t_\t_" for i in range(1, longest + 1)]
    found = Statistics(
        **{
            **vars(statistics),
            "lengths": {1: 2, longest: 1},
            "sentences": 3,
            "words": len(words) + 2,
        }
    )
    page = render_statistics(found, SOURCE)
    bars = re.findall(r'<th scope="row">([\d–]+)</th><td>(\d+)</td>', page)
    assert bars[0] == ("1" if width == 1 else f"1–{width}", "2")
    assert len(bars) == -(-longest // width) and bars[-1][1] == "1"


def test_leaderboard_page() -> None:
    board = many_parsers(7)
    page = render_leaderboard(board, SOURCE, title="Of <dev>")
    check_page(page)
    assert "<h1>Of &lt;dev&gt;</h1>" in page and "8 parsers, 15 trainings" in page
    for place, standing in enumerate(board.standings, 1):
        name = standing.name.replace("<", "&lt;").replace(">", "&gt;")
        [row] = re.findall(rf'<th scope="row">{place}.\xa0{name}</th>(.*?)</tr>', page)
        assert f"<td>{standing.groups}</td>" in row
        assert f"{100 * (standing.mean('LAS') or 0):.2f}" in row
        assert f"<td>{standing.words_per_second:,.0f}</td><td>12.3 min</td>" in row
        seeds = ", ".join(str(trial.seed) for trial in standing.trials)
        assert row.startswith(f"<td>{len(standing.trials)}<small>{seeds}</small></td>")
    assert page.count('<canvas role="img" aria-label="') == 4
    # The best five and the peer have colours and are in the legend. Two others are grey.
    assert re.findall(r"<li>.*?</span>(.*?)</li>", page) == [
        *(f"&lt;system&gt; {i}" for i in range(5)),
        "peer",
    ]
    curves = page.split("Learning curves</h3>")[1].split("</figure>")[0]
    assert curves.count('"muted":true') == 2 and curves.count('"muted":false') == 6


def test_parsers_without_predictions_are_named(comparison: ParserComparison) -> None:
    note = "Not in the plot, since precision is undefined without predictions: "
    page = render_leaderboard(many_parsers(8), SOURCE)
    assert re.findall(f"{note}(.*?)<", page) == ["&lt;system&gt; 7."]
    assert note not in render_leaderboard(many_parsers(4), SOURCE)
    # The note is at the plot of precision and recall, and at the plot of projectivity.
    page = render_comparison(comparison, SOURCE)
    assert re.findall(f"{note}(.*?)<", page) == ["&lt;flat&gt;, same."] * 2


def test_leaderboard_of_one() -> None:
    page = render_leaderboard(many_parsers(0), SOURCE)
    check_page(page)
    assert "1.\xa0peer" in page and '"muted":true' not in page


def test_sweep_page() -> None:
    sweep = make_sweep(several_treebanks())
    links = {treebank: f"{treebank} #1/board.html" for treebank in sweep.boards}
    page = render_sweep(sweep, SOURCE, links)
    check_page(page)
    assert "4 parsers, 3 treebanks, 24 trainings, gold tokens and sentences" in page
    overall, treebanks, pairs = (
        page.split(f'aria-label="{label}"')[1].split("</table>")[0]
        for label in ("All treebanks", "Treebanks", "Pairs")
    )
    for place, entrant in enumerate(sweep.entrants, 1):
        [row] = re.findall(rf'<th scope="row">{place}.\xa0{entrant.name}</th>(.*?)</tr>', overall)
        wins, losses = sweep.total_wins(entrant), sweep.total_losses(entrant)
        assert row.startswith(f"<td>{entrant.mean_rank:.2f}</td>")
        assert row.endswith(
            f"<td>{wins[0]} ({wins[1]})</td><td>{losses[0]} ({losses[1]})</td>"
            f"<td>{entrant.groups}</td><td>{entrant.words_per_second:,.0f}</td>"
        )
        assert f"{100 * (entrant.mean('LAS') or 0):.2f}" in row
    for treebank, board in sweep.boards.items():
        link = f'<a href="{treebank}%20%231/board.html">{treebank}</a>'
        [row] = re.findall(rf'<th scope="row">{re.escape(link)}</th>(.*?)</tr>', treebanks)
        best = board.standings[0]
        assert re.search(rf"<b>{100 * (best.mean('LAS') or 0):.2f} ±.*?</b><small>a</small>", row)
    for entrant in sweep.entrants:
        [row] = re.findall(rf'<th scope="row">{entrant.name}</th>(.*?)</tr>', pairs)
        assert re.findall(r"(\d+) \((\d+)\)", row) == [
            (str(wins.all), str(wins.significant)) for wins in entrant.wins.values()
        ]
    assert page.count('<canvas role="img" aria-label="') == 4


def test_sweep_without_anything_to_compare() -> None:
    boards = several_treebanks(without=("UD_A", "peer"))
    del boards["UD_B"], boards["UD_C"]
    boards["peer only"] = many_parsers(0)
    page = render_sweep(make_sweep(boards), SOURCE, dict.fromkeys(boards, "x.html"))
    check_page(page)
    assert "Not compared: UD_A, without results of peer." in page and "on 0 treebanks" in page


def test_tables_are_escaped() -> None:
    heads = [Column("<a>"), Column("")]
    content = Table("<e>", heads, [["<b>", Cell("<c>", "<d>", strong=True)]])
    html = templates().get_template("macros.html").module.table(content)
    assert not re.search(r"<[acde]>|<b><", html)
    assert "<b>&lt;c&gt;</b><small>&lt;d&gt;</small>" in html
