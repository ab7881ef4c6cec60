"""Mutations: small random changes of a file, after which it may be malformed, unusual or valid."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Mutation = Callable[[bytes, Random], bytes]

_NUMBERS = ["", "0", "01", "-1", "1.0", "1e3", "99", "1-2", "2-1", "1.1", "0.0", "²", "٣", "_"]
_NUMBERS += [str(2**31), str(2**63), str(2**64), "9" * 5000, "0" * 5000, "1-" + "9" * 5000]
_NUMBERS += ["1." + "9" * 5000]
_CONTROLS = [*map(chr, range(32)), "\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe"]
_CONTROLS += ["\U0010ffff", "\u0301", "\u200b"]
_INVALID = [b"\xff", b"\xc3", b"\x80", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80"]
_FEATS = ["A=1", "B=2,1", "A", "=", "A=", "=1", "A=1=2", "|", "", "_", "POS=NOUN", "A=1|A=2", ",=,"]
_MISC = ["SpaceAfter=No", "SpacesAfter=", "SpacesBefore=", "SpacesInToken=", "\\s", "\\", "\\u"]
_MISC += ["\\u0020", "\\ud800", "\\uffff", "|", "=", "SpaceAfter", "a", "_", "\\n\\n", "\\t", "\\p"]
_DEPS = ["0:root", "1:dep", "|", ":", "9:x", "1.1:x", "1", "_", "", "-1:x", "9" * 5000 + ":x"]
_COMMENTS = ["# newdoc", "# newpar", "# newdoc id = a", "# sent_id = 1", "#", "# =", "# = =", "##"]
_COMMENTS += ["# text = a", "# global.columns = ID FORM", "#\t", "# sent_id", "# newdoc id ="]


def flip_bits(data: bytes, random: Random) -> bytes:
    """Flip one to four bits."""
    new = bytearray(data)
    for _ in range(random.randint(1, 4)):
        new[random.randrange(len(new))] ^= 1 << random.randrange(8)
    return bytes(new)


def overwrite(data: bytes, random: Random) -> bytes:
    """Overwrite up to twenty bytes with random bytes."""
    start, length = random.randrange(len(data)), random.randint(1, 20)
    return data[:start] + random.randbytes(length) + data[start + length :]


def cut(data: bytes, random: Random) -> bytes:
    """Remove a part; in one of three cases, remove everything up to the end."""
    start = random.randrange(len(data))
    end = start + random.randint(1, 40) if random.randrange(3) else len(data)
    return data[:start] + data[end:]


def repeat(data: bytes, random: Random) -> bytes:
    """Insert a copy of a part at a random place."""
    start, place = random.randrange(len(data)), random.randrange(len(data))
    return data[:place] + data[start : start + random.randint(1, 200)] + data[place:]


def random_bytes(data: bytes, random: Random) -> bytes:
    """Replace the file by random bytes, perhaps none."""
    return random.randbytes(random.randrange(len(data)))


def first_bytes(data: bytes, random: Random) -> bytes:
    """Replace the first bytes, where many formats have a magic number."""
    n = random.randint(1, 4)
    return random.randbytes(n) + data[n:]


def zeros(data: bytes, random: Random) -> bytes:
    """Overwrite a block with zeros, as after a disk error."""
    begin = random.randrange(max(1, len(data)))
    size = min(random.randint(1, 4096), len(data) - begin)
    return data[:begin] + bytes(size) + data[begin + size :]


def empty(data: bytes, random: Random) -> bytes:
    """Return an empty file."""
    return b""


def invalid_utf8(data: bytes, random: Random) -> bytes:
    """Insert bytes that are not UTF-8."""
    place = random.randrange(len(data))
    return data[:place] + random.choice(_INVALID) + data[place:]


def control_characters(data: bytes, random: Random) -> bytes:
    """Insert control characters, separators and other invisible characters."""
    characters = list(data.decode("utf-8"))
    for _ in range(random.randint(1, 3)):
        characters.insert(random.randrange(len(characters)), random.choice(_CONTROLS))
    return "".join(characters).encode("utf-8")


def lines(data: bytes, random: Random) -> bytes:
    """Repeat, remove or exchange lines."""
    found = data.split(b"\n")
    i, j = random.randrange(len(found)), random.randrange(len(found))
    operation = random.randrange(3)
    if operation == 0:
        found.insert(j, found[i])
    elif operation == 1:
        del found[i]
    else:
        found[i], found[j] = found[j], found[i]
    return b"\n".join(found)


def blank_lines(data: bytes, random: Random) -> bytes:
    """Insert blank lines, some with spaces or a Windows line ending, or change those at the end."""
    if not random.randrange(4):
        return data.rstrip(b"\n") + b"\n" * random.randrange(4)
    found = data.split(b"\n")
    for _ in range(random.randint(1, 3)):
        blank = random.choice([b"", b"", b"", b"\r", b" ", b"\t"])
        # Most places are next to an existing blank line.
        places = [i for i, line in enumerate(found) if not line or not random.randrange(20)]
        found.insert(random.choice(places), blank)
    return b"\n".join(found)


def columns(data: bytes, random: Random) -> bytes:
    """Remove, repeat, empty or exchange columns of a line, or replace tabs by spaces."""

    def change(fields: list[str]) -> None:
        i, j = random.randrange(len(fields)), random.randrange(len(fields))
        operation = random.randrange(5)
        if operation == 0:
            del fields[i]
        elif operation == 1:
            fields.insert(j, fields[i])
        elif operation == 2:
            fields[i] = ""
        elif operation == 3:
            fields[i], fields[j] = fields[j], fields[i]
        else:
            fields[i:] = ["  ".join(fields[i:])]

    return _change_rows(data, random, change)


def numbers(data: bytes, random: Random) -> bytes:
    """Replace ID or HEAD by other numbers, some with thousands of digits, or by non-numbers."""

    def change(fields: list[str]) -> None:
        column = random.choice([0, 6]) % len(fields)
        value = random.choice([*_NUMBERS, str(random.randrange(12))])
        fields[column] = value

    return _change_rows(data, random, change)


def feats(data: bytes, random: Random) -> bytes:
    """Replace FEATS, mostly by malformed values."""
    return _change_column(data, random, 5, _FEATS, "|")


def deps(data: bytes, random: Random) -> bytes:
    """Replace DEPS, mostly by malformed values."""
    return _change_column(data, random, 8, _DEPS, "|")


def misc(data: bytes, random: Random) -> bytes:
    """Replace MISC by attributes of white space and their escapes."""
    return _change_column(data, random, 9, _MISC, "")


def labels(data: bytes, random: Random) -> bytes:
    """Replace FORM, LEMMA, UPOS, XPOS or DEPREL by blank or long values, or by separators."""
    pieces = ["a", " ", "_", "|", "=", ":", "root", "ROOT", "NOUN", "\x00", "#", "\\", "x" * 10_000]
    return _change_column(data, random, random.choice([1, 2, 3, 4, 7]), pieces, "")


def comments(data: bytes, random: Random) -> bytes:
    """Insert comments, also inside sentences."""
    found = data.split(b"\n")
    for _ in range(random.randint(1, 3)):
        # Most places are next to other comments, at the beginning of a sentence.
        places = [i for i, line in enumerate(found) if line[:1] == b"#" or not random.randrange(20)]
        found.insert(random.choice(places or [0]), random.choice(_COMMENTS).encode())
    return b"\n".join(found)


def _change_column(
    data: bytes, random: Random, column: int, pieces: list[str], separator: str
) -> bytes:
    def change(fields: list[str]) -> None:
        chosen = random.choices(pieces, k=random.randint(1, 4))
        fields[column % len(fields)] = separator.join(chosen)

    return _change_rows(data, random, change)


def _change_rows(data: bytes, random: Random, change: Callable[[list[str]], None]) -> bytes:
    """Change one or two token lines."""
    found = data.decode("utf-8", "replace").split("\n")
    for _ in range(random.randint(1, 2)):
        places = [i for i, line in enumerate(found) if "\t" in line]
        if not places:
            break
        place = random.choice(places)
        fields = found[place].split("\t")
        change(fields)
        found[place] = "\t".join(fields)
    return "\n".join(found).encode("utf-8")


OF_BYTES: list[Mutation] = [flip_bits, overwrite, cut, repeat, random_bytes]
OF_FILES: list[Mutation] = [*OF_BYTES, first_bytes, zeros, empty]
OF_CONLLU: list[Mutation] = [
    *OF_BYTES,
    invalid_utf8,
    control_characters,
    lines,
    blank_lines,
    columns,
    numbers,
    feats,
    deps,
    misc,
    labels,
    comments,
]


def change_annotation(tokens: bytes, random: Random) -> bytes:
    """Change one to three 64-bit integers of an array of annotation in a DocBin."""
    values = [0, 1, 2, 2**64 - 1, 2**64 - 2, 2**63, 2**32 + 1, 2**31, 10**6]
    new = bytearray(tokens)
    for _ in range(random.randint(1, 3)):
        place = 8 * random.randrange(len(new) // 8)
        other = 8 * random.randrange(len(new) // 8)
        value = random.choice([*values, random.getrandbits(64), random.randrange(500)])
        from_elsewhere = bytes(new[other : other + 8])
        new[place : place + 8] = random.choice([value.to_bytes(8, "little"), from_elsewhere])
    return bytes(new)
