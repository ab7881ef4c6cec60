"""Addresses of the web and of e-mail."""

import pytest

from spacy_npparse.tokenization.addresses import address_end

ADDRESSES = [
    "www.example.org",
    "EXAMPLE.org",
    "a-b.c1.de",
    "http://example.org",
    "ftp://me:pass@example.org:80/x?y=1&z=(2)",
    "jane.doe+x@mail.example.org",
    "192.168.0.255",
    "1.2.3.4:80/a",
    "example.org:",
    "example.org/",
    "example.org/München_(Bayern)",
    "example.org/a\u0301\u0663",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("after", ["", " and", "\n", "…", '"'])
def test_addresses_are_found_to_their_ends(address, after):
    assert address_end(f"a {address}{after}", 2, len(address + after) + 2) == len(address) + 2


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("example.org.", "example.org"),
        ("example.org)", "example.org"),
        ("example.org/a).", "example.org/a"),
        ("example.org/(a)).", "example.org/(a)"),
        ("example.org/a?!", "example.org/a"),
        ("example.org/...", "example.org/"),
        ("example.d1", ""),
        ("1.2.3.256", "1.2.3.25"),
        ("1.2.3", ""),
        ("256.1.1.1", ""),
        ("word", ""),
        (".example.org", ""),
        ("a-.org", ""),
        ("me@example", ""),
        ("ex.org@", "ex.org"),
        ("ab://example.org", ""),
        ("", ""),
    ],
)
def test_where_addresses_end(text, address):
    assert text[: address_end(text, 0, len(text))] == address


def test_nothing_is_read_beyond_the_end():
    assert address_end("example.org/path", 0, 13) == 13
    assert address_end("example.org/path", 0, 11) == 11
    assert address_end("example.org", 0, 9) == 0
