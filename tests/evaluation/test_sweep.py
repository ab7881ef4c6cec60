"""Tests of sweeps, which combine the leaderboards of several treebanks."""

import itertools
import json

import pytest
from report_helpers import several_treebanks

from spacy_npparse.evaluation.leaderboard import make_leaderboard
from spacy_npparse.evaluation.sweep import make_sweep


@pytest.fixture(scope="module")
def sweep():
    return make_sweep(several_treebanks())


def test_mean_ranks(sweep):
    for treebank, board in sweep.boards.items():
        las = {standing.name: standing.mean("LAS") for standing in board.standings}
        for entrant in sweep.entrants:
            better = sum(one > las[entrant.name] for one in las.values())
            equal = sum(one == las[entrant.name] for one in las.values())
            assert entrant.ranks[treebank] == better + (equal + 1) / 2
    means = [sum(one.ranks.values()) / 3 for one in sweep.entrants]
    assert [one.mean_rank for one in sweep.entrants] == means == sorted(means)
    assert [one.name for one in sweep.entrants] == ["good", "other", "peer", "same"]
    assert [one.is_peer for one in sweep.entrants] == [False, False, True, False]


def test_scores_are_means_over_treebanks(sweep):
    for entrant in sweep.entrants:
        las = [board_las(board, entrant.name) for board in sweep.boards.values()]
        assert entrant.mean("LAS") == pytest.approx(sum(las) / 3)


def board_las(board, name):
    [found] = [standing.mean("LAS") for standing in board.standings if standing.name == name]
    return found


def test_wins_and_losses(sweep):
    for one, other in itertools.permutations(sweep.entrants, 2):
        won = [
            board
            for board in sweep.boards.values()
            if board_las(board, one.name) > board_las(board, other.name)
        ]
        significant = 0
        for board in won:
            names = [standing.name for standing in board.standings]
            significant += board.p_values[names.index(one.name)][names.index(other.name)] < 0.05
        assert one.wins[other.name] == (len(won), significant)
    assert any(one.wins[other.name].significant for one, other in pairs(sweep))
    assert any(
        one.wins[other.name].all > one.wins[other.name].significant for one, other in pairs(sweep)
    )
    for entrant in sweep.entrants:
        others = [one for one in sweep.entrants if one is not entrant]
        for place in (0, 1):
            wins = sum(entrant.wins[one.name][place] for one in others)
            losses = sum(one.wins[entrant.name][place] for one in others)
            assert sweep.total_wins(entrant)[place] == wins
            assert sweep.total_losses(entrant)[place] == losses


def pairs(sweep):
    return itertools.permutations(sweep.entrants, 2)


def test_tables(sweep):
    parsers, treebanks, notes = sweep.table().split("\n\n")
    rows = [[cell.strip() for cell in line.split("|")] for line in parsers.splitlines()]
    assert rows[0][:2] == ["parser", "mean rank"] and rows[0][-3:] == ["wins", "losses", "group"]
    for entrant, row in zip(sweep.entrants, rows[2:], strict=True):
        assert row[:2] == [entrant.name, f"{entrant.mean_rank:.2f}"]
        wins, losses = sweep.total_wins(entrant), sweep.total_losses(entrant)
        assert row[-3:] == [f"{wins[0]} ({wins[1]})", f"{losses[0]} ({losses[1]})", entrant.groups]
    cells = [[cell.strip() for cell in line.split("|")] for line in treebanks.splitlines()]
    assert cells[0] == ["LAS", *(entrant.name for entrant in sweep.entrants)]
    assert [row[0] for row in cells[2:]] == list(sweep.boards)
    assert "on 3 treebanks" in notes and f"p = {sweep.test.p_value:.3f}" in notes


def test_as_json(sweep):
    found = json.loads(json.dumps(sweep.as_dict()))
    assert found["treebanks"] == found["compared"] == list(sweep.boards)
    best = found["parsers"][0]
    assert best["name"] == "good" and best["wins"]["peer"]["all"] == 3
    assert len(found["nemenyi_p_values"]) == 4


def test_treebanks_that_lack_a_result_are_not_compared():
    boards = several_treebanks(without=("UD_B", "peer"))
    sweep = make_sweep(boards)
    assert sweep.compared == ["UD_A", "UD_C"]
    assert sweep.notes == ["Not compared: UD_B, without results of peer."]
    assert sweep.notes[0] in sweep.table()
    for entrant in sweep.entrants:
        assert set(entrant.ranks) == {"UD_A", "UD_C"}
        las = [board_las(boards[one], entrant.name) for one in sweep.compared]
        assert entrant.mean("LAS") == pytest.approx(sum(las) / 2)
    [row] = [line for line in sweep.table().splitlines() if line.startswith("UD_B")]
    assert row.split("|")[-1].strip() == "-"


def test_nothing_to_compare():
    boards = several_treebanks()
    alone = {
        "UD_A": make_board(boards, "UD_A", ["good"]),
        "UD_B": make_board(boards, "UD_B", ["other"]),
    }
    sweep = make_sweep(alone)
    assert sweep.compared == [] and sweep.test.p_value == 1
    assert [one.mean_rank for one in sweep.entrants] == [None, None]
    assert "on 0 treebanks" in sweep.table()


def make_board(boards, treebank, names):
    """Return the leaderboard of the named parsers only."""
    return make_leaderboard(
        {one.name: one.trials for one in boards[treebank].standings if one.name in names}
    )


def test_parsers_that_are_equally_good_are_in_the_order_of_their_names():
    boards = several_treebanks()
    same = {"UD_A": make_board(boards, "UD_A", ["other", "same"])}
    assert [one.name for one in make_sweep(same).entrants] == ["other", "same"]
    [standing] = make_sweep({"UD_A": make_board(boards, "UD_A", ["same"])}).entrants
    assert standing.groups == "a" and standing.mean_rank == 1
