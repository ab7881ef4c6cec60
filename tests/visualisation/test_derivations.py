"""Data, tables and pages of derivations, without a browser."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace

import catalogue
import pytest
from derivation_helpers import HEADS, LABELS, SYSTEMS, WORDS, gold, longest, predicted

from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.systems.arc_hybrid_swap import ArcHybridSwap
from spacy_npparse.transitions import (
    Decisions,
    Derivation,
    UncoveredTree,
    gold_derivation,
    parser_derivation,
)
from spacy_npparse.visualisation import derivation_table, render_derivation
from spacy_npparse.visualisation.derivations.data import derivation_data, open_ends, structures


def data_of(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="npparse-data">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def replayed(data: dict) -> Iterator[tuple[list[list[int]], list[int], set[int]]]:
    """Yield structures, heads and reachable words of each configuration from a page's data."""
    items = [list(structure["items"]) for structure in data["structures"]]
    heads = [-1] * (len(data["words"]) + 1)
    reachable = set(data["reachable"] or ())
    yield items, heads, reachable
    for step in data["steps"]:
        for structure, start, removed, added in step.get("d", ()):
            items[structure][start : start + removed] = added
        for dependent, head in step.get("h", ()):
            heads[dependent] = head
        reachable ^= set(step.get("r", ()))
        yield items, heads, reachable


def derivations(system: str) -> Iterator[Derivation]:
    rng = random.Random(3)
    for n in (1, 2, 5, 9, 9, 9, 9):
        order = rng.sample(range(1, n + 1), n)
        heads = [-1] * (n + 1)
        for i, word in enumerate(order):
            heads[word] = rng.choice(order[:i]) if i else 0
        for oracle in get_transition_system(system).oracles:
            try:
                words = [f"w{d}" for d in range(n)]
                yield gold_derivation(
                    words, heads, system=get_transition_system(system), oracle=oracle
                )
            except UncoveredTree:
                pass


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_data_of_a_page_replay(system: str) -> None:
    found = 0
    for derivation in derivations(system):
        data = derivation_data(derivation)
        keys = list(structures(derivation))
        for step, (items, heads, reachable) in zip(derivation.steps, replayed(data), strict=True):
            of_step = step.configuration.as_dict()
            assert items == [list(of_step[key]) for key in keys]
            assert heads == list(step.configuration.heads)
            assert reachable == set(step.reachable or ())
            found += 1
        for step, own in zip(derivation.steps, data["steps"], strict=False):
            names = derivation.system.transitions
            assert names[own["t"]] == step.transition
            assert [names[t] for t in own["l"]] == list(step.options)
            costs = {names[t]: own["c"][t] for t in own["l"]}
            assert costs == {name: option.cost for name, option in step.options.items()}
            assert "s" not in own and ("u" in own) != step.proven
    assert found > 5


def test_where_things_happen_in_structures() -> None:
    assert open_ends(gold("arc_hybrid_swap")) == {"stack": True, "buffer": False}
    assert open_ends(gold("covington")) == {"lambda1": True, "lambda2": False, "buffer": False}
    ends = open_ends(gold("two_planar"))
    assert (ends["stack"], ends["inactive"], ends["buffer"]) == (True, True, False)
    for system in SYSTEMS:
        ends = open_ends(gold_derivation(["a"], [-1, 0], system=get_transition_system(system)))
        assert ends.pop("buffer") is False and all(ends.values())


def test_all_structures_are_shown() -> None:
    assert list(structures(gold("arc_hybrid"))) == ["stack", "buffer"]
    assert list(structures(gold("covington")).values()) == ["λ1", "λ2", "buffer"]
    assert list(structures(gold("two_planar")).values()) == [
        "active stack",
        "other stack",
        "buffer",
        "plane",
        "switched",
    ]
    assert list(structures(gold("stay_eager_swap"))) == ["stack", "buffer", "unshifted"]


def cells(table: str) -> list[list[str]]:
    """Return the stripped cells of each line of a table."""
    lines = table.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("step"))
    return [[cell.strip() for cell in f"{line} ".split(" | ")] for line in lines[start:]]


def test_table() -> None:
    derivation = gold_derivation(
        ["Was", "glaubst", "du"],
        [-1, 2, 0, 2],
        system=get_transition_system("arc_hybrid_swap"),
        oracle="static-dynamic",
    )
    table = derivation_table(derivation)
    assert table.startswith(
        "arc_hybrid_swap: the static-dynamic oracle's derivation · 3 words · 6 transitions: "
        "3 SHIFT, 2 LEFT-ARC, 1 RIGHT-ARC · 3 of 3 heads right\n"
        "projective order: Was glaubst du\n\n"
    )
    header, rule, *lines = cells(table)
    assert header == ["step", "stack", "buffer", "transition", "arcs", "alternatives", "RDEPS"]
    assert set(rule[0]) == {"-", "+"}
    assert lines[1] == [
        "1",
        "Was",
        "glaubst du ROOT",
        "LEFT-ARC (0)",
        "glaubst → Was",
        # After SHIFT, no tree with one root has the heads of "Was" and "glaubst".
        "SHIFT (2), SWAP (1)",
        "glaubst: Was du",
    ]
    assert lines[4][:5] == ["4", "glaubst du", "ROOT", "RIGHT-ARC (0)", "glaubst → du"]
    assert lines[6] == ["6", "", "ROOT", "", "", "", ""]


def test_commas_in_lists_are_quoted() -> None:
    derivation = gold_derivation(
        ["Ja", ",", "ja"],
        [-1, 0, 1, 2],
        system=get_transition_system("arc_hybrid_swap"),
        oracle="static-dynamic",
    )
    table = derivation_table(derivation, width=300)
    assert "Ja → “,”" in table and "“,” → ja" in table and "Ja: “,”" in table
    assert "Ja , ja" in table, "structures are no lists"


def test_table_of_a_parser() -> None:
    table = derivation_table(predicted(), width=300)
    assert table.startswith("arc_hybrid_swap: found by greedy search · 8 words · 16 transitions: ")
    assert "7 of 8 heads right · costs of the static-dynamic oracle" in table
    _, _, _, line, *_ = cells(table)
    assert line[3:6] == ["LEFT-ARC 11 % (0)", "hearing → A", "SHIFT 4 % (1), SWAP 84 % (1)"]
    assert "SHIFT 0.00 (1), SWAP 3.00 (1)" in derivation_table(
        predicted(normalised=False), width=300
    )
    assert "SHIFT 4 %, SWAP 84 %" in derivation_table(predicted(known=False), width=300)
    assert "approximate" not in table
    unsure = predicted()
    unsure = replace(unsure, steps=(unsure.steps[0]._replace(proven=False), *unsure.steps[1:]))
    assert "some costs only approximate (?)" in derivation_table(unsure)
    assert "approximate (?)" in derivation_table(replace(unsure, search=None))
    assert "SHIFT 100 % (0?)" in derivation_table(unsure)
    static = derivation_table(predicted(oracle="static"))
    assert "undefined after the first wrong transition" in static


def test_repairs_are_noted() -> None:
    """Jack is attached to saw, then to fall."""
    names = {"S": "SHIFT", "L": "LEFT-ARC", "R": "RIGHT-ARC", "D": "REDUCE"}
    transitions = [names[t] for t in "SLSRRDRDLRDLS"]
    scores = [{t: 1.0} for t in transitions]
    system = get_transition_system("nonmonotonic_arc_eager")
    decisions = Decisions(system, "dynamic", transitions, scores, "greedy search", False)
    derivation = parser_derivation(
        "I saw Jack and Jill fall".split(), decisions, gold=[-1, 2, 0, 6, 3, 3, 2]
    )
    table = derivation_table(derivation)
    assert "6 of 6 heads right · 1 repair: 1 wrong → right · costs" in table


def test_tables_fit_into_the_terminal() -> None:
    for derivation in (gold(), gold("covington"), longest(60)):
        lines = derivation_table(derivation, width=110).split("\n")[3:]
        assert max(map(len, lines)) <= 110
        assert any("…" in line for line in lines)
    # If there is no room for all words, the top of the stack and the front of the buffer are shown.
    line = derivation_table(longest(60), width=110).split("\n")[40]
    step, stack, buffer, *_ = line.split(" | ")
    configuration = longest(60).steps[int(step)].configuration
    assert stack.endswith(f"word{configuration.stack[-1]}")
    assert buffer.startswith(f"word{configuration.buffer[0]}")


def test_wide_characters_keep_the_columns() -> None:
    derivation = gold_derivation(
        ["これは", "e\u0301t\u00e9"], [-1, 2, 0], system=get_transition_system("covington")
    )
    lines = derivation_table(derivation).replace("e\u0301", "é").split("\n")
    # Each character of the first word takes two columns, and a combining accent takes none.
    assert lines[4] == "   0 |            |        | これは été | SHIFT (0)    |              |"
    assert lines[5].startswith("   1 |     これは |        | été        | LEFT-ARC (0) |")


def test_page_is_self_contained_and_deterministic() -> None:
    page = render_derivation(predicted())
    assert page == render_derivation(predicted())
    assert set(re.findall(r"https?://[^\"\s]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|img|iframe)|@import|url\(|src=", page)
    assert "<abbr title=" in page and "<dt>RDEPS</dt><dd>Reachable dependents" in page
    assert page.count("<style>") == 1 and "prefers-color-scheme: dark" in page
    assert "<h1>Derivation: arc_hybrid_swap</h1>" in page
    assert "<h1>My &lt;title&gt;</h1>" in render_derivation(gold(), title="My <title>")


def test_text_is_no_markup() -> None:
    words = ["</script><b>", "<!--", "&amp;", "\ud800"]
    derivation = gold_derivation(words, [-1, 2, 0, 2, 3], words, system=gold().system)
    page = render_derivation(derivation, title="<u>")
    assert data_of(page)["words"] == words
    outside = page.split("</style>")[1].split("<script>")[0]
    assert not re.search(r"</script><b>|<!--|<u>|&amp;(?!amp;)", outside)
    page.encode("utf-8")


def test_only_systems_that_reorder_words_have_an_order() -> None:
    assert "projective order" in derivation_table(gold()) and "order" in render_derivation(gold())
    derivation = gold("covington")
    assert "projective order" not in derivation_table(derivation)
    assert "<dt>projective order</dt>" not in render_derivation(derivation)


def test_legend_explains_what_there_is() -> None:
    crossing, places = "non-projective (crossing) arc", "place in the sentence and in the"
    page = render_derivation(gold())
    assert crossing in page and places in page and "wrong head" not in page
    page = render_derivation(gold("arc_hybrid"))
    assert crossing not in page and places not in page
    page = render_derivation(predicted())
    assert "wrong head" in page and "correct arc, below the words" in page


def labels_of(page: str) -> list[str]:
    """Return the labels of the arcs above the words, then of the arcs below the words."""
    return re.findall(r'<polygon points="[^"]*"/><text[^>]*>([^<]*)</text></g>', page)


def test_arcs_and_labels() -> None:
    labelled = replace(predicted(), labels=("det", "obj", *LABELS[2:]))
    page = render_derivation(labelled)
    sides = re.findall('data-arcs="(.*?)"', page)
    assert [len(side.split()) for side in sides] == [len(WORDS), 1]
    assert "obj (gold: nsubj)" in page
    unlabelled = gold_derivation(WORDS, HEADS, system=get_transition_system("covington"))
    assert labels_of(render_derivation(unlabelled)) == ["root", *[""] * (len(WORDS) - 1)]
    missing = replace(labelled, gold_labels=None)
    assert "(gold:" not in render_derivation(missing)
    assert labels_of(render_derivation(missing))[-1] == ""
    unknown = render_derivation(predicted())
    assert "(gold:" not in unknown and labels_of(unknown)[-1] == "case"


def test_scores_that_are_no_numbers() -> None:
    derivation = predicted()
    step = derivation.steps[1]
    options = {name: option._replace(score=math.nan) for name, option in step.options.items()}
    steps = (derivation.steps[0], step._replace(options=options), *derivation.steps[2:])
    data = data_of(render_derivation(replace(derivation, steps=steps)))
    assert "s" not in data["steps"][1] and data["steps"][2]["s"] is not None
    derivation_table(replace(derivation, steps=steps))


def test_the_code_explains_system_and_oracle() -> None:
    page = render_derivation(gold("arc_hybrid_swap", "static-dynamic"))
    assert "<summary>Transition system: arc_hybrid_swap</summary>" in page
    assert "<summary>Oracle: static-dynamic</summary>" in page
    assert "<code>ArcHybrid</code>" in page
    assert "Oracle:" not in render_derivation(predicted(known=False))


class Renamed(ArcHybridSwap):
    structure_names = {"buffer": "input", "stack": "pile"}


def test_systems_of_other_packages() -> None:
    transition_systems.register("renamed", func=Renamed)
    try:
        derivation = gold("renamed", "static")
    finally:
        catalogue.REGISTRY.pop(("spacy", "transition_systems", "renamed"))
    data = data_of(render_derivation(derivation))
    assert [structure["name"] for structure in data["structures"]] == ["input", "pile"]
    assert "Transition system:" not in render_derivation(derivation), "it has no docstring"
    header = derivation_table(derivation).split("\n")[3]
    assert header.split()[:5] == ["step", "|", "input", "|", "pile"]
