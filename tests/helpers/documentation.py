"""Code blocks, sections and tables of the pages of the documentation."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Fences in lists are indented.
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)\n(?P<code>.*?)^(?P=indent)```$", re.S | re.M
)


class Block(NamedTuple):
    """A code block on a page, and its first line."""

    language: str
    code: str
    line: int


def blocks(text: str) -> list[Block]:
    """Return all code blocks in order."""
    found = []
    for match in _BLOCK.finditer(text):
        code = re.sub(f"^{match['indent']}", "", match["code"], flags=re.M)
        found.append(Block(match["language"], code, text.count("\n", 0, match.start("code")) + 1))
    return found


def commands(block: Block) -> list[str]:
    """Return the commands of a console block, and join lines that end in a backslash."""
    return [line for line in block.code.replace("\\\n", " ").splitlines() if line.strip()]


def split_command(command: str) -> list[str]:
    """Split a command as bash does: without comments and quotes, and with braces expanded."""
    script = f"printf '%s\\0' {command}"
    words = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return words.stdout.split("\0")[:-1]


def section(text: str, heading: str) -> str:
    """Return the text below a heading, up to the next heading of any level."""
    match = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.S | re.M)
    assert match is not None, f"no section {heading!r}"
    return match[1]


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of each row of all tables, except heads."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        for line in table.splitlines()[2:]:
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def names(cell: str) -> list[str]:
    """Return the parts of a cell between backticks."""
    return re.findall("`([^`]+)`", cell)
