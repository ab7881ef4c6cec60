"""Killed editors, which lose no change that the client has seen."""

import re
import subprocess
import sys
import threading
from contextlib import suppress
from http.client import HTTPException

import pytest
from served import Client

from spacy_npparse.treebank import read_conllu


@pytest.fixture
def path(tmp_path, dev):
    found = tmp_path / "file.conllu"
    found.write_text("\n\n".join(dev.split("\n\n")[:6]) + "\n\n")
    return found


def begin(folder, path):
    command = [sys.executable, "-m", "spacy_npparse", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--edit", str(path)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    for line in process.stderr:
        if "http://" in line:
            return process, Client(int(re.search(r"http://127.0.0.1:([0-9]+)", line)[1]))
    raise AssertionError(process.wait())


def tree(shown):
    rows = [(one["head"], one["label"], one["confirmed"]) for one in shown["words"]]
    return rows, shown["done"]


@pytest.mark.fuzz
def test_nothing_that_was_shown_is_lost(folder, path, fuzz):
    """Servers are killed at random moments of a session, and the next server continues it."""
    known = {}

    def session(rng):
        process, client = begin(folder, path)
        try:
            for number, before in known.items():
                assert tree(client.ask(f"/editor/{number}/800").json) == before
            timer = threading.Timer(rng.uniform(0.2, 0.8), process.kill)
            timer.start()
            asked = None
            with suppress(OSError, HTTPException):
                while True:
                    asked = None
                    shown = client.ask(f"/editor/{rng.randrange(6)}/800").json
                    known[shown["number"]] = tree(shown)
                    asked = random_change(rng, shown)
                    answer = client.post(f"/editor/{shown['number']}/800", asked)
                    # A refused change, such as a redo without undo, leaves the tree unchanged.
                    if answer.status != 400:
                        known[answer.json["number"]] = tree(answer.json)
            timer.join()
        finally:
            process.kill()
            process.wait()
            process.stderr.close()
        assert len(list(read_conllu(path))) == 6
        if asked is None:
            return "between changes"
        # The change may have been made or not. Undo and redo may change another sentence.
        known.pop(shown["number"])
        if asked["do"] in ("undo", "redo"):
            known.clear()
        return "during a change"

    fuzz("sessions of the editor that are killed", 3, session)


def random_change(rng, shown):
    word = rng.randrange(1, shown["length"] + 1)
    change = rng.choice(
        [
            {"do": "head", "head": rng.choice(shown["words"][word - 1]["likely"])},
            {"do": "label", "label": "dep"},
            {"do": "confirm"},
            {"do": "confirm", "word": shown["length"]},
            {"do": rng.choice(["undo", "redo", "confirm", "confirm", "confirm"])},
        ]
    )
    return {"word": word, **change}
