"""The pages of the documentation as plain text: blocks of code, sections, tables."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A fence may be indented, in a list.
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)\n(?P<code>.*?)^(?P=indent)```$", re.S | re.M
)


class Block(NamedTuple):
    """A block of code on a page, and the line on which it starts."""

    language: str
    code: str
    line: int


def blocks(text: str) -> list[Block]:
    """All blocks of code, in order."""
    found = []
    for match in _BLOCK.finditer(text):
        code = re.sub(f"^{match['indent']}", "", match["code"], flags=re.M)
        found.append(Block(match["language"], code, text.count("\n", 0, match.start("code")) + 1))
    return found


def commands(block: Block) -> list[str]:
    """The commands of a console block, lines that end in a backslash joined."""
    return [line for line in block.code.replace("\\\n", " ").splitlines() if line.strip()]


def split_command(command: str) -> list[str]:
    """The words of a command as bash has them: without comments and quotes, braces expanded."""
    script = f"printf '%s\\0' {command}"
    words = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return words.stdout.split("\0")[:-1]


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one of any level."""
    match = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.S | re.M)
    assert match is not None, f"no section {heading!r}"
    return match[1]


def rows(text: str) -> Iterator[list[str]]:
    """The cells of the lines of tables, without heads."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        for line in table.splitlines()[2:]:
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def names(cell: str) -> list[str]:
    """What a cell has between backticks."""
    return re.findall("`([^`]+)`", cell)
