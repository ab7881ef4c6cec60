"""The page in a browser, used only with the keyboard or only with the mouse, narrow and dark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from browser_helpers import Browsed
from served import serving

from spacy_npparse.serving.app import make_app
from spacy_npparse.serving.editor import Editor, TreeChange
from spacy_npparse.serving.pipelines import ServedPipeline
from spacy_npparse.treebank import read_conllu

WORDS = ".tree .npparse-words text"


@pytest.fixture
def path(tmp_path: Path, dev: str) -> Path:
    """Write a file of five sentences."""
    found = tmp_path / "file.conllu"
    found.write_text("\n\n".join(dev.split("\n\n")[:5]) + "\n\n")
    return found


@pytest.fixture
def editor(folder: Path, path: Path) -> Iterator[Editor]:
    found = Editor(path, ServedPipeline("sample", spacy.load(folder)))
    yield found
    found.file.close()


@pytest.fixture
def browsed(chromium: Any, editor: Editor, pipelines: list[ServedPipeline]) -> Iterator[Browsed]:
    """Open the page with an editor, and check after the test that there were no problems."""
    with serving(make_app(pipelines, "127.0.0.1", editor=editor)) as client:
        page = chromium.new_page(viewport={"width": 1400, "height": 800})
        found = Browsed(page, f"{client.url}/")
        settle(page)
        yield found
        page.close()
    assert found.problems == []


def settle(page: Any) -> None:
    """Wait until the results of all requests are shown."""
    page.wait_for_selector(".editor[aria-busy=false]")


def press(page: Any, *keys: str) -> None:
    """Press keys that the help of the page names, without waiting between them."""
    names = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓", "Escape": "esc"}
    known = page.locator(".editor kbd").all_inner_texts()
    for key in keys:
        assert names.get(key, key.lower()) in known, key
        page.keyboard.press(key)
    settle(page)


def chosen(page: Any) -> list[str]:
    """Return the parts of the line about the chosen word, which begins with its number."""
    return page.inner_text("#word").split()


def test_with_the_keyboard_alone(browsed: Browsed, editor: Editor, path: Path) -> None:
    page = browsed.page
    listed = page.locator("#sentences button")
    assert listed.count() == 5
    doubts = sorted(editor.overview(), key=lambda one: -one["doubt"])
    assert page.inner_text("#sentence").startswith(doubts[0]["sent_id"])
    number = doubts[0]["number"]
    assert chosen(page)[0] == "1"
    before = editor.show(number, 800)["words"]
    word = next(i for i, one in enumerate(before, 1) if i > 1 and one["head"])

    def now() -> dict[str, Any]:
        found: dict[str, Any] = editor.show(number, 800)["words"][word - 1]
        return found

    press(page, *["ArrowRight"] * (word - 1))
    assert chosen(page)[0] == str(word) and page.locator(f"{WORDS}.chosen").count() == 1
    # The choice of a head is begun and cancelled.
    old = before[word - 1]
    press(page, "h", *["ArrowLeft"] * old["head"])
    assert page.locator("[data-do=head][aria-pressed=true]").count() == 1
    assert "root?" in page.inner_text("#word")
    press(page, "Escape")
    assert editor.show(number, 800)["words"] == before
    press(page, "0")
    assert now()["head"] == 0
    assert "root: root" in page.inner_text("#word") and "confirmed" in page.inner_text("#word")
    assert page.locator(".npparse-arcs g.changed").count() >= 2
    assert page.locator(f"{WORDS}.confirmed").count() == 1
    press(page, "u")
    assert now()["head"] == old["head"]
    press(page, "r", "u")
    likely = old["likely"]
    place = likely.index(old["head"]) if old["head"] in likely else -1
    press(page, "ArrowUp" if place > 0 else "ArrowDown")
    assert now()["head"] == likely[place - 1 if place > 0 else place + 1]
    press(page, "u", "h", "ArrowRight", "ArrowLeft", "Enter", "l")
    page.keyboard.type("dislocated")
    press(page, "Enter")
    assert (now()["head"], now()["label"]) == (old["head"], "dislocated")
    press(page, "Space")
    assert editor.show(number, 800)["confirmed"] == word and chosen(page)[0] == str(word + 1)
    press(page, "Enter")
    assert page.inner_text("#sentence").startswith(doubts[1]["sent_id"])
    row = list(read_conllu(path))[number].words[word - 1]
    assert (row.head, row.deprel) == (str(old["head"]), "dislocated")
    assert "✓ confirmed" in listed.nth(0).inner_text()
    press(page, "n")
    assert page.inner_text("#sentence").startswith(doubts[2]["sent_id"])
    press(page, "p", "p")
    assert page.inner_text("#sentence").startswith(doubts[0]["sent_id"])
    # Undo reverts the last change, even if it is in another sentence.
    press(page, "n", "u")
    assert page.inner_text("#sentence").startswith(doubts[0]["sent_id"])
    assert f"{word}/{len(before)}, rest" in listed.nth(0).inner_text()
    # After a sentence is opened from the list, the keys control the tree again.
    listed.nth(3).focus()
    press(page, "Enter", "ArrowRight")
    assert page.inner_text("#sentence").startswith(doubts[3]["sent_id"])
    assert chosen(page)[0] == "2"


def test_sentences_are_corrected_by_the_keys_of_the_help(
    browsed: Browsed, editor: Editor, path: Path
) -> None:
    """An annotator attaches all words of two sentences to the first word with the label `flat`."""
    page = browsed.page
    order = [one["number"] for one in sorted(editor.overview(), key=lambda one: -one["doubt"])][:2]
    for number in order:
        n = editor.show(number, 800)["length"]
        for word, (head, label) in enumerate([(0, "root"), *[(1, "flat")] * (n - 1)], 1):
            now = editor.show(number, 800)["words"][word - 1]
            if now["head"] != head:
                steps = head - now["head"]
                way = ["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps)
                press(page, *(["h", *way, "Enter"] if head else ["0"]))
            if head and editor.show(number, 800)["words"][word - 1]["label"] != label:
                press(page, "l")
                page.keyboard.type(label)
                press(page, "Enter")
            if word < n:
                press(page, "ArrowRight")
        press(page, "Enter")
    sentences = list(read_conllu(path))
    for sentence in map(sentences.__getitem__, order):
        assert set(sentence.heads[2:]) == {1} and sentence.heads[1] == 0
        assert {row.deprel for row in sentence.words[1:]} == {"flat"}


def test_with_the_mouse_alone(browsed: Browsed, editor: Editor, path: Path) -> None:
    page = browsed.page
    page.select_option("#order", "number")
    page.locator("#sentences button").nth(2).click()
    settle(page)
    assert page.locator("#sentences li:nth-child(3) button[aria-current=true]").count() == 1
    words = page.locator(WORDS)
    before = editor.show(2, 800)["words"]
    words.nth(2).click()
    assert chosen(page)[0] == "3"
    # The word is dragged to its new head.
    head = next(h for h in (1, 2, 4) if h != before[2]["head"] and before[h - 1]["head"] != 3)
    words.nth(2).hover()
    page.mouse.down()
    words.nth(head - 1).hover()
    page.mouse.up()
    settle(page)
    assert editor.show(2, 800)["words"][2]["head"] == head
    page.click("[data-do=undo]")
    settle(page)
    assert editor.show(2, 800)["words"][2]["head"] == before[2]["head"]
    # The head is chosen with the button.
    words.nth(2).click()
    page.click("[data-do=head]")
    words.nth(head - 1).click()
    settle(page)
    assert editor.show(2, 800)["words"][2]["head"] == head
    page.locator(".tree .npparse-arcs g.chosen text").click()
    assert page.evaluate("document.activeElement.id") == "label"
    page.fill("#label", "orphan")
    page.keyboard.press("Enter")
    settle(page)
    assert editor.show(2, 800)["words"][2]["label"] == "orphan"
    page.click("[data-do=root]")
    settle(page)
    assert editor.show(2, 800)["words"][2]["head"] == 0
    page.click("[data-do=read]")
    settle(page)
    page.click("[data-do=confirm]")
    settle(page)
    assert list(read_conllu(path))[2].heads[3] == 0
    page.click("[data-do=previous]")
    settle(page)
    assert page.locator("#sentences button").nth(2).get_attribute("aria-current") == "true"


def test_what_cannot_be_is_said(browsed: Browsed, editor: Editor) -> None:
    page = browsed.page
    number = max(editor.overview(), key=lambda one: one["doubt"])["number"]
    press(page, "0", "ArrowRight", "0")
    assert "no tree of" in page.inner_text("#message")
    heads = [one["head"] for one in editor.show(number, 800)["words"]]
    assert heads[0] == 0 != heads[1]
    press(page, "u")
    assert page.inner_text("#message") == ""
    # The browser logs that a request was refused.
    assert [one for one in browsed.problems if "400" not in one] == []
    browsed.problems.clear()


def test_a_tree_that_another_tab_has_changed(browsed: Browsed, editor: Editor) -> None:
    """It is not confirmed unseen: the page shows it first."""
    page = browsed.page
    number = max(editor.overview(), key=lambda one: one["doubt"])["number"]
    editor.change(number, TreeChange(do="label", label="dislocated"))
    press(page, "Enter")
    assert "Another tab" in page.inner_text("#message")
    assert "dislocated" in page.inner_text("#word")
    assert editor.show(number, 800)["confirmed"] == 1
    press(page, "Enter")
    assert editor.overview()[number]["done"]
    assert [one for one in browsed.problems if "400" not in one] == []
    browsed.problems.clear()


def test_a_label_is_given_to_the_word_that_is_shown(browsed: Browsed, editor: Editor) -> None:
    page = browsed.page
    number = max(editor.overview(), key=lambda one: one["doubt"])["number"]
    before = [one["label"] for one in editor.show(number, 800)["words"]]
    other = next(i for i, label in enumerate(before) if label != before[0])
    # While the word is confirmed, the box still shows its label.
    press(page, *["ArrowRight"] * (other - 1))
    page.route("**/editor/**", lambda route: (page.wait_for_timeout(300), route.continue_()))
    for key in ("Space", "l", "Enter"):
        page.keyboard.press(key)
    settle(page)
    assert chosen(page)[0] == str(other + 1)
    assert editor.show(number, 800)["words"][other]["label"] == before[other]
    # What is typed is not given to another word, which is chosen with the mouse.
    page.unroute("**/editor/**")
    press(page, "l")
    page.keyboard.type("mylabel")
    page.locator(WORDS).nth(0).click()
    settle(page)
    assert page.input_value("#label") == editor.show(number, 800)["words"][0]["label"]
    press(page, "l", "Enter")
    assert "mylabel" not in [one["label"] for one in editor.show(number, 800)["words"]]


def test_keys_that_are_held_down_confirm_nothing(browsed: Browsed, editor: Editor) -> None:
    page = browsed.page
    page.keyboard.down("Enter")
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    settle(page)
    assert sum(one["done"] for one in editor.overview()) == 1


def test_heads_that_are_not_among_the_probable_ones(browsed: Browsed, editor: Editor) -> None:
    page = browsed.page
    words = editor.show(0, 800)["words"]
    found = {**editor.show(0, 800), "words": [{**one, "likely": [2, 3]} for one in words]}
    page.select_option("#order", "number")
    answers = json.dumps(found)
    page.route("**/editor/0/*", lambda route: route.fulfill(body=answers), times=1)
    page.locator("#sentences button").nth(0).click()
    settle(page)
    head = next(i for i, one in enumerate(words) if one["head"] not in (2, 3, i + 1) and i > 3)
    press(page, *["ArrowRight"] * head, "ArrowDown")
    assert editor.show(0, 800)["words"][head]["head"] == words[head]["head"]
    press(page, "ArrowUp")
    assert editor.show(0, 800)["words"][head]["head"] == 3


def test_text(browsed: Browsed, tmp_path: Path) -> None:
    page = browsed.page
    page.fill("#given", "Was glaubt der Arzt? Das Pferd schläft.")
    page.click("#text button:not([type])")
    page.wait_for_selector("#trees figure")
    found = {}
    for name in ("CoNLL-U", "SVG", "PNG"):
        with page.expect_download() as download:
            page.locator(f"text=Save {name}").first.click()
        found[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
    assert found["trees.conllu"].decode().startswith("# newpar\n# sent_id = 1\n")
    svg = found["tree-1.svg"].decode()
    assert svg.startswith("<svg") and "<style>" in svg and "glaubt" in svg
    assert found["tree-1.png"].startswith(b"\x89PNG") and len(found["tree-1.png"]) > 2000
    probabilities = page.evaluate(
        """() => [...document.querySelectorAll("#trees g[style]")]
          .map((arc) => Number(arc.style.getPropertyValue("--probability")))"""
    )
    assert len(probabilities) >= 6 and all(0 < one <= 1 for one in probabilities)
    assert page.select_option("#model", "bare") == ["bare"]


def test_it_is_readable_everywhere(browsed: Browsed) -> None:
    page = browsed.page
    page.fill("#given", "Was glaubt der Arzt?")
    page.click("#text button:not([type])")
    page.wait_for_selector("#trees figure")
    for kind, part in (("target", "words text:last-child"), ("changed", "arcs g")):
        page.eval_on_selector(f".tree .npparse-{part}", f"(e) => e.classList.add('{kind}')")
    for _ in browsed.views():
        assert browsed.too_wide() == []
        for selector in (
            "h1",
            "#sentence",
            "#word",
            ".list small",
            ".list span",
            ".terms dd",
            "button",
        ):
            assert browsed.contrast(selector) >= 4.5, selector
        for selector in (
            ".tree .npparse-words text",
            ".tree .npparse-arcs text",
            f"{WORDS}.chosen",
            f"{WORDS}.target",
            ".tree .npparse-arcs .changed text",
        ):
            assert browsed.contrast(selector) >= 4.5, selector


def test_it_is_accessible(browsed: Browsed) -> None:
    """All controls have names, and the Tab key reaches them."""
    page = browsed.page
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, svg[role=img]")]
          .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
          .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("[aria-live], [role=alert], [role=status]").count() == 3
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.do ?? document.activeElement.id"))
    assert {"head", "root", "label", "read", "confirm", "next", "given", "order"} <= reached
    # The space bar presses the button that has the focus, and does nothing else.
    page.focus("[data-do=next]")
    before = page.inner_text("#sentence")
    press(page, "Space")
    assert page.inner_text("#sentence") != before


def test_without_an_editor(chromium: Any, client: Any) -> None:
    page = chromium.new_page()
    browsed = Browsed(page, f"{client.url}/")
    page.fill("#given", "Was glaubt der Arzt?")
    page.click("#text button:not([type])")
    page.wait_for_selector("#trees figure")
    assert page.locator(".editor").count() == 0 and browsed.problems == []
    page.close()
    assert client.ask("/editor").status == 404
    policy = client.ask("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
