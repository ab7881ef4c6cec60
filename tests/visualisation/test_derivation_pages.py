"""The page that steps through a derivation, with keys and the mouse in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser_helpers import Browsed
from derivation_helpers import HEADS, SYSTEMS, WORDS, gold, longest, predicted

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Decisions, Derivation, gold_derivation, parser_derivation
from spacy_npparse.visualisation import render_derivation

Browse = Callable[..., Browsed]


_STATE = """
  const state = () => ({
    step: document.querySelector("output").textContent,
    structures: [...document.querySelectorAll(".structure dd")].map((list) =>
      list.closest(".small") ? list.textContent.split(" ").filter(Boolean).map(Number)
      : [...list.children].map((chip) => Number(chip.dataset.word))),
    arcs: [...document.querySelectorAll(".npparse-arcs")].flatMap((side) =>
      [...side.children].map((arc, i) =>
        [arc, ...side.dataset.arcs.split(" ")[i].split("-").map(Number)]))
      .filter(([arc]) => getComputedStyle(arc).visibility === "visible")
      .map(([arc, head, dependent]) => [dependent, head, arc.getAttribute("class") ?? ""]),
    taken: document.querySelector("tr.taken td")?.textContent ?? null,
    illegal: document.querySelectorAll("tr.illegal").length,
    now: document.querySelector(".now").textContent,
  });
"""


def states(page: Any, key: str = "", times: int = 0) -> list[dict[str, Any]]:
    """Return what the page shows now, and after each of so many presses of a key."""
    found: list[dict[str, Any]] = page.evaluate(
        """([key, times]) => {"""
        + _STATE
        + """
          const found = [state()];
          for (let i = 0; i < times; i++) {
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            found.push(state());
          }
          return found;
        }""",
        [key, times],
    )
    return found


def at(page: Any) -> int:
    """Return the number of the step that the page shows."""
    return int(page.locator("output").inner_text().split(" / ")[0])


def arcs(state: dict[str, Any], kind: str = "") -> set[tuple[int, int]]:
    """Return dependent and head of the visible arcs above the words, or of the arcs of a kind."""
    wanted = {(d, h) for d, h, classes in state["arcs"] if f"npparse-{kind}" in classes.split()}
    every = {(d, h) for d, h, classes in state["arcs"] if "npparse-gold" not in classes.split()}
    return wanted if kind else every


def plain(text: str) -> str:
    """Remove the marks of writing direction from a text."""
    return text.replace("\u2068", "").replace("\u2069", "")


def check(state: dict[str, Any], derivation: Derivation, number: int) -> None:
    """Check that the page shows the configuration and the decision of a step."""
    step = derivation.steps[number]
    items = step.configuration.as_dict()
    named = list(derivation.system.structure_names)
    others = sorted(set(items) - set(named) - {"stack", "buffer", "heads"})
    assert state["step"] == f"{number} / {len(derivation.steps) - 1}"
    assert state["structures"] == [list(items[key]) for key in named + others]
    heads = step.configuration.heads
    assert arcs(state) == {(d, heads[d]) for d in range(1, len(heads)) if heads[d] != -1}
    assert state["taken"] == step.transition
    if step.transition is None:
        assert "End" in state["now"]
    else:
        assert state["illegal"] == len(derivation.system.transitions) - len(step.options)


def check_step(page: Any, derivation: Derivation, number: int) -> None:
    check(states(page)[0], derivation, number)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_step_forwards_and_backwards(browse: Browse, system: str) -> None:
    derivation = gold(system)
    page = browse(render_derivation(derivation)).page
    last = len(derivation.steps) - 1
    for number, state in enumerate(states(page, "ArrowRight", last)):
        check(state, derivation, number)
    for back, state in enumerate(states(page, "ArrowLeft", last)):
        check(state, derivation, last - back)


def test_readable_everywhere(browse: Browse) -> None:
    browsed = browse(render_derivation(predicted()))
    page = browsed.page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    selectors = ["h1", "header p", "dt", "abbr", ".chip", ".chip small", ".now", ".decision td"]
    selectors += [".row .name", ".head span", "output", ".npparse-words .held", ".costly"]
    for _ in browsed.views():
        page.keyboard.press("Home")
        for _ in range(3):
            assert browsed.too_wide() == []
            states(page, "ArrowRight", 7)
        page.keyboard.press("End")
        assert browsed.too_wide() == []
        assert len(arcs(states(page)[0])) == len(WORDS)
        page.keyboard.press("ArrowLeft")
        for selector in selectors:
            assert browsed.contrast(selector) >= 4.5, selector


def test_keys(browse: Browse) -> None:
    derivation = gold()
    last = len(derivation.steps) - 1
    page = browse(render_derivation(derivation)).page
    for key, expected in [
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
        ("Control+ArrowRight", 0),
    ]:
        page.keyboard.press(key)
        check_step(page, derivation, expected)


def test_keys_wherever_the_focus_is(browse: Browse) -> None:
    page = browse(render_derivation(gold())).page
    for selector in (".arcs", ".structure dd", ".controls input", "[data-do=next]", ".rows"):
        page.keyboard.press("Home")
        page.locator(selector).first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert at(page) == 2, selector
    # The space bar presses the button that has the focus, and only once.
    page.locator("[data-do=last]").focus()
    page.keyboard.press("Space")
    assert at(page) == int(page.locator("output").inner_text().split(" / ")[1])


def test_buttons_slider_and_lines(browse: Browse) -> None:
    derivation = gold()
    last = len(derivation.steps) - 1
    page = browse(render_derivation(derivation), 360).page
    for name, expected in [("next", 1), ("last", last), ("back", last - 1), ("first", 0)]:
        page.locator(f"[data-do={name}]").click()
        check_step(page, derivation, expected)
    page.locator(".controls input").fill("9")
    check_step(page, derivation, 9)
    page.locator("[data-step='7']").click()
    check_step(page, derivation, 7)
    assert page.locator("[aria-current]").get_attribute("data-step") == "7"


def test_play(browse: Browse) -> None:
    derivation = gold()
    last = len(derivation.steps) - 1
    page = browse(render_derivation(derivation), clock=True).page
    page.keyboard.press("Space")
    assert page.locator("[data-do=play]").get_attribute("aria-pressed") == "true"
    page.clock.run_for(2000)
    assert 2 <= at(page) <= 3
    page.keyboard.press("Space")
    seen = at(page)
    page.clock.run_for(2000)
    assert at(page) == seen
    page.locator("[data-do=play]").click()
    page.clock.run_for(120_000)
    check_step(page, derivation, last)
    assert page.locator("[data-do=play]").get_attribute("aria-pressed") == "false"
    page.keyboard.press("Space")
    page.clock.run_for(1000)
    assert at(page) == 1
    page.keyboard.press("ArrowRight")
    page.clock.run_for(5000)
    assert at(page) == 2, "a step by hand ends the play"


def test_wrong_arcs_and_costs(browse: Browse) -> None:
    derivation = predicted()
    page = browse(render_derivation(derivation)).page
    wrong = derivation.heads.index(4, 5)
    assert HEADS[wrong] != 4
    for number, step in enumerate(derivation.steps):
        drawn = step.configuration.heads[wrong] != -1
        state = states(page)[0]
        assert arcs(state, "gold") == ({(wrong, HEADS[wrong])} if drawn else set())
        assert arcs(state, "wrong") == ({(wrong, 4)} if drawn else set())
        if step.transition is not None:
            costs = [o.cost for o in step.options.values()]
            shown = page.locator("tr:not(.illegal) td:last-child").all_inner_texts()
            assert shown == [str(cost) for cost in costs]
            flagged = step.options[step.transition].cost > min(costs)
            assert page.locator(".decision .costly").count() == flagged
            line = page.locator(f"[data-step='{number}'] .costly")
            assert line.count() == flagged
        page.keyboard.press("ArrowRight")


def test_probabilities_and_scores(browse: Browse) -> None:
    page = browse(render_derivation(predicted(known=False))).page
    page.keyboard.press("ArrowRight")
    assert page.locator("th").all_inner_texts() == ["transition", "probability"]
    shares = page.locator(".decision td.share").all_inner_texts()
    assert shares == ["4.2 %", "11 %", "not legal", "84 %"]
    page = browse(render_derivation(predicted(normalised=False))).page
    page.keyboard.press("ArrowRight")
    assert page.locator("th").all_inner_texts() == ["transition", "score", "cost"]
    assert page.locator(".decision tr:nth-child(3) td").all_inner_texts() == [
        "LEFT-ARC",
        "1.00",
        "0",
    ]


def test_costs_that_are_not_proven_are_marked(browse: Browse) -> None:
    system = gold().system
    # The parser makes a wrong SWAP.
    transitions = ["SHIFT", "SWAP", *["SHIFT"] * 8, *["RIGHT-ARC"] * 7, "LEFT-ARC"]
    scores: list[dict[str, float]] = [dict.fromkeys(system.transitions, 0.0)] * len(transitions)
    decisions = Decisions(system, "static-dynamic", transitions, scores, "a beam of 2", True)
    derivation = parser_derivation(WORDS, decisions, gold=HEADS)
    page = browse(render_derivation(derivation)).page
    headers = []
    for _ in range(3):
        headers.append(page.locator("th").last.inner_text())
        page.keyboard.press("ArrowRight")
    assert headers == ["cost", "cost", "cost (?)"]


def test_words_are_coloured_by_their_place(browse: Browse) -> None:
    derivation = gold("two_planar")
    page = browse(render_derivation(derivation)).page
    for step in derivation.steps:
        items = step.configuration.as_dict()
        held = {*items["stack"], *items["inactive"]}
        kinds = page.evaluate(
            """() => [...document.querySelectorAll(".npparse-words text")]
              .map((word) => [...word.classList].at(-1))"""
        )
        assert kinds == [
            "held" if d in held else "buffer" if d in items["buffer"] else "gone"
            for d in range(1, len(WORDS) + 1)
        ]
        page.keyboard.press("ArrowRight")


def test_reachable_dependents_and_projective_order(browse: Browse) -> None:
    derivation = predicted()
    page = browse(render_derivation(derivation)).page
    places = page.locator(".order .chip").evaluate_all("(all) => all.map((e) => e.dataset.word)")
    assert places == ["1", "2", "5", "6", "7", "3", "4", "8"]
    assert page.locator(".order .chip small").all_inner_texts()[2] == "5 → 3"
    for step in derivation.steps:
        shown = map(plain, page.locator(".reachable dd > span").all_inner_texts())
        expected = {}
        for d in step.reachable or ():
            head = WORDS[HEADS[d] - 1] if HEADS[d] else "ROOT"
            expected.setdefault(head, []).append(WORDS[d - 1])
        assert sorted(shown) == sorted(f"{h}: {', '.join(ds)}" for h, ds in expected.items())
        page.keyboard.press("ArrowRight")
    assert page.locator(".reachable dd > span").count() == 0
    page.keyboard.press("Home")
    assert page.locator(".reachable dd > span").count() == len(set(HEADS[1:]))


def test_commas_in_lists_are_quoted(browse: Browse) -> None:
    words = ["Ja", ",", "ja", ",", "ja"]
    derivation = gold_derivation(
        words, [-1, 0, 1, 1, 1, 1], system=gold().system, oracle="static-dynamic"
    )
    page = browse(render_derivation(derivation)).page
    shown = [plain(text) for text in page.locator(".reachable dd > span").all_inner_texts()]
    assert "Ja: “,”, ja, “,”, ja" in shown


def test_arcs_that_are_replaced_disappear(browse: Browse) -> None:
    system = gold("nonmonotonic_covington").system
    transitions = ["SHIFT", "LEFT-ARC", "SHIFT", "LEFT-ARC", "LEFT-ARC", "SHIFT"]
    scores: list[dict[str, float]] = [dict.fromkeys(system.transitions, 0.0)] * len(transitions)
    decisions = Decisions(system, "static", transitions, scores, "greedy search", True)
    derivation = parser_derivation(["a", "b", "c"], decisions)
    page = browse(render_derivation(derivation)).page
    found = states(page, "ArrowRight", len(transitions))
    for number, state in enumerate(found):
        check(state, derivation, number)
    seen = [arcs(state) for state in found]
    assert (1, 2) in seen[2] and (1, 2) not in seen[-1] and (1, 3) in seen[-1]


def test_text_is_no_markup(browse: Browse) -> None:
    words = ["</script><img src=x onerror=alert(1)>", "<b>&amp;</b>", "\u2028 \x00\ud800", "'\"`"]
    derivation = gold_derivation(
        words, [-1, 2, 0, 2, 3], words, system=get_transition_system("covington")
    )
    page = browse(render_derivation(derivation, title=words[0])).page
    page.keyboard.press("End")
    assert page.locator("img").count() == 0
    assert page.locator(".structure .chip bdi").first.inner_text() == words[0]
    assert page.locator(".chip bdi").nth(1).inner_text() == words[1]


def test_words_from_right_to_left_stay_in_order(browse: Browse) -> None:
    words = ["هذا", "الكتاب", "جميل"]
    derivation = gold_derivation(words, [-1, 2, 3, 0], system=get_transition_system("covington"))
    page = browse(render_derivation(derivation)).page

    def places(selector: str) -> list[float]:
        """Return the horizontal position of each word of a text."""
        found: list[float] = page.locator(selector).first.evaluate(
            """(element, words) => {
              const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
              const node = texts.nextNode();
              return words.map((word) => node.data.indexOf(word)).filter((at) => at >= 0)
                .map((at) => {
                  const range = document.createRange();
                  range.setStart(node, at);
                  range.setEnd(node, at + 1);
                  return range.getBoundingClientRect().x;
                });
            }""",
            words,
        )
        return found

    buffer = places("[data-step='0'] span.wide:not(.open) > :last-child")
    assert len(buffer) == 3 and buffer == sorted(buffer)
    dependent, head = places("[data-step='1'] > :nth-child(5)")
    assert head < dependent, "an arrow points to the right, from head to dependent"


def test_long_sentences_stay_usable(browse: Browse) -> None:
    derivation = longest()
    html = render_derivation(derivation)
    last = len(derivation.steps) - 1
    assert last > 1000 and len(html) < 1_000_000
    browsed = browse(html, 360)
    page = browsed.page
    for key, expected in (("End", last), ("ArrowLeft", last - 1), ("Home", 0)):
        page.keyboard.press(key)
        check_step(page, derivation, expected)
    page.locator(".controls input").fill(str(last // 2))
    check_step(page, derivation, last // 2)
    assert browsed.too_wide() == []
    assert page.locator(".row").count() < 40, "only the lines in view"
    # The current words are in view in the drawing and in the structures.
    configuration = derivation.steps[last // 2].configuration
    for word in (configuration.buffer[0], configuration.stack[-1]):
        box = page.locator(f".structure [data-word='{word}']").bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= 360
    word = configuration.buffer[0]
    box = page.locator(".npparse-words text").nth(word - 1).bounding_box()
    assert 0 <= box["x"] and box["x"] + box["width"] <= 360
    page.locator(".rows").evaluate("(rows) => { rows.scrollTop = rows.scrollHeight; }")
    page.locator(f"[data-step='{last}']").click()
    assert at(page) == last


def test_one_word(browse: Browse) -> None:
    derivation = gold_derivation(
        ["Yes"], [-1, 0], system=get_transition_system("arc_standard_swap")
    )
    page = browse(render_derivation(derivation)).page
    page.keyboard.press("End")
    check_step(page, derivation, 2)


def test_notebooks_show_the_page_in_a_frame(browse: Browse) -> None:
    page = browse(f"<title>x</title>{render_derivation(gold())._repr_html_()}").page
    box = page.locator("iframe").bounding_box()
    assert box["width"] > 1300 and box["height"] > 600
    frame = page.frame_locator("iframe")
    frame.locator("h1").click()
    page.keyboard.press("ArrowRight")
    assert frame.locator("output").inner_text().startswith("1 / ")
