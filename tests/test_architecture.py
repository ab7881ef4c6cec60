"""Dependencies between packages and modules, called rooms here, and rules on names."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest
from documentation import names, rows, section

PACKAGE = Path(__file__).parents[1] / "spacy_npparse"
DOCS = PACKAGE.parent / "docs"

# Layers from top to bottom, whose rooms do not import each other. The lowest ones are modules.
FLOORS = [
    {"cli"},
    {"packaging", "serving"},
    {"laboratory", "visualisation"},
    {"annotation"},
    {"components", "evaluation", "scaling", "tokenization"},
    {"lemmas", "parsing", "treebank", "workfolder"},
    {"models"},
    {"decoding"},
    {"systems"},
    {"transitions"},
    {"trees"},
    {"passages"},
    {
        "checks",
        "counts",
        "extras",
        "files",
        "imported_code",
        "tables",
        "treebank_names",
        "word_forms",
        "word_slices",
    },
    {"errors"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
IMPORT = re.compile(r"^\s*(?:from|import|cimport) spacy_npparse\.([a-z_]+)", re.MULTILINE)
# Included C++ headers, by their paths relative to the folder of the file.
INCLUDE = re.compile(r'^(?:#include|\s*cdef extern from) "([^"]+)"', re.MULTILINE)
# A public class of a Python module, or of a compiled module's stub.
PUBLIC_CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)
# Protocols such as _repr_html_ do not match. Names of namedtuples and shims are removed below.
PRIVATE = re.compile(
    r"(?:^ *|\bself\.|\b(?:def|cdef|cpdef|class) )(_[a-zA-Z]\w*)(?<!_)\b", re.MULTILINE
)
PRIVATE_NAMES = {
    name
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx")]
    for name in PRIVATE.findall(f"{path.stem}\n{path.read_text(encoding='utf8')}")
} - {"_model", "_replace"}


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


def test_the_page_lists_the_rooms_from_the_top_down():
    page = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf8")
    listed = [names(row[0])[0] for row in rows(section(page, "Packages"))]
    assert set(listed) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(listed, key=FLOOR.__getitem__) == listed
    assert set(FLOOR) <= set(names(section(page, "Packages")))


def test_the_picture_has_the_same_floors():
    picture = (DOCS / "images" / "rooms.svg").read_text(encoding="utf8")
    floors = defaultdict(set)
    for height, rooms in re.findall(r'class="name" x="\d+" y="(\d+)"[^>]*>([^<]+)<', picture):
        floors[int(height)].update(rooms.split(", "))
    assert [floors[height] for height in sorted(floors)] == FLOORS


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
    """Yield the functions of all commands."""
    for path in sorted((PACKAGE / "cli").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf8")).body:
            decorators = map(ast.unparse, getattr(node, "decorator_list", []))
            if any(one.startswith("app.command") for one in decorators):
                yield pytest.param(node, id=node.name)


@pytest.mark.parametrize("command", list(commands()))
def test_commands_are_short(command):
    """Shared options and longer work belong in separate functions."""
    assert command.end_lineno - command.lineno + 1 <= 60


def private_names_used(path):
    """Yield the private names of the package that a test imports, reads or replaces."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name):
            names = [*node.module.split("."), *(one.name for one in node.names)]
        elif isinstance(node, ast.Import):
            names = [part for one in node.names for part in one.name.split(".")]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) not in {"self", "cls"}:
            names = [node.attr]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # monkeypatch takes names as strings.
            names = node.value.split(".")
        else:
            continue
        yield from PRIVATE_NAMES.intersection(names)


def test_tests_talk_to_public_parts():
    tests = PACKAGE.parent / "tests"
    used = {str(path.relative_to(tests)): private_names_used(path) for path in tests.rglob("*.py")}
    assert {path: names for path, found in used.items() if (names := sorted(set(found)))} == {}
