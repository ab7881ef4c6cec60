"""Dependencies between the rooms of the package run downwards only, and a name means one class."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "spacy_npparse"

# From the top floor down; rooms of one floor know nothing of each other. The last are modules.
FLOORS = [
    {"cli"},
    {"laboratory", "visualisation"},
    {"annotation"},
    {"components", "evaluation", "scaling", "tokenization"},
    {"parsing", "treebank", "workfolder"},
    {"models"},
    {"decoding"},
    {"systems"},
    {"transitions"},
    {"trees"},
    {"checks", "files", "imported_code", "tables", "treebank_names"},
    {"errors"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
IMPORT = re.compile(r"^\s*(?:from|import|cimport) spacy_npparse\.([a-z_]+)", re.MULTILINE)
# The C++ headers of another room, by their path from the file's own folder.
INCLUDE = re.compile(r'^(?:#include|\s*cdef extern from) "([^"]+)"', re.MULTILINE)
# Of Python, and of compiled modules that are described in stubs.
PUBLIC_CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)


def files(room):
    paths = [*(PACKAGE / room).rglob("*"), *PACKAGE.glob(f"{room}.py")]
    return [path for path in sorted(paths) if path.suffix in {".py", ".pyi", ".pyx", ".pxd", ".h"}]


def used_rooms(path):
    text = path.read_text(encoding="utf8")
    found = set(IMPORT.findall(text))
    for header in INCLUDE.findall(text):
        target = (path.parent / header).resolve()
        found.add(target.relative_to(PACKAGE).parts[0])
    return found


def test_every_room_has_a_floor():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("[!_]*.py")}
    assert rooms | modules == set(FLOOR)


@pytest.mark.parametrize("room", sorted(FLOOR))
def test_dependencies_run_downwards(room):
    for path in files(room):
        for used in used_rooms(path) - {room}:
            assert FLOOR[used] > FLOOR[room], f"{path.relative_to(PACKAGE)} uses {used}"


def test_searches_know_nothing_of_spacy():
    for path in files("parsing"):
        assert not re.search(r"^\s*(from|import) spacy\b", path.read_text(), re.MULTILINE), path


def test_the_kernel_needs_neither_spacy_nor_torch():
    for room in ("trees", "transitions", "systems", "decoding"):
        for path in files(room):
            text = path.read_text(encoding="utf8")
            assert not re.search(r"^\s*(from|import) (spacy|thinc|torch)\b", text, re.MULTILINE), (
                path
            )


def test_no_two_public_classes_have_the_same_name():
    places = defaultdict(list)
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]:
        for name in PUBLIC_CLASS.findall(path.read_text(encoding="utf8")):
            places[name].append(str(path.relative_to(PACKAGE)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def commands():
    """The functions of all commands."""
    for path in sorted((PACKAGE / "cli").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf8")).body:
            decorators = map(ast.unparse, getattr(node, "decorator_list", []))
            if any(one.startswith("app.command") for one in decorators):
                yield pytest.param(node, id=node.name)


@pytest.mark.parametrize("command", list(commands()))
def test_commands_are_short(command):
    """Options that several commands have, and longer work, have places of their own."""
    assert command.end_lineno - command.lineno + 1 <= 60
