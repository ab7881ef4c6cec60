"""Metadata of treebanks: names, languages, licences and authors."""

import pytest

from spacy_npparse.packaging import read_source

README = """# Summary

A treebank.

# References

* Doe, J. (2020). *A treebank*.

<pre>
=== Machine-readable metadata (DO NOT REMOVE!) ====
Data available since: UD v1.2
License: CC BY-SA 4.0
Contributors: Doe, Jane; Roe, Richard
===================================================
</pre>
"""


@pytest.fixture
def read(tmp_path):
    """Return a function that reads the source of a treebank in a folder with the given files."""

    def make(folder, train, **files):
        path = tmp_path / folder
        path.mkdir()
        for name, content in files.items():
            (path / f"{name}.txt").write_text(content, encoding="utf-8")
        return read_source(path, path / train)

    return make


@pytest.mark.parametrize(
    ("folder", "train", "expected"),
    [
        ("UD_Hungarian-Szeged", "hu_szeged", ("hu", "hu", "szeged", "Hungarian")),
        # Version 2.0 of Universal Dependencies has such names.
        ("UD_Gothic-PROIEL", "got", ("got", "xx", "proiel", "Gothic")),
        ("UD_Ancient_Greek-PROIEL", "grc_proiel", ("grc", "grc", "proiel", "Ancient Greek")),
        ("UD_Basque", "eu", ("eu", "eu", "basque", "Basque")),
        ("my treebank", "de", ("de", "de", "my_treebank", "unknown")),
        ("sample_treebank", "sample", ("xx", "xx", "sample", "unknown")),
        ("UD_Norwegian-Bokmaal", "no_bokmaal", ("no", "nb", "bokmaal", "Norwegian")),
        # spaCy's class for Japanese has a morphologizer with other settings.
        ("UD_Japanese-GSD", "ja_gsd", ("ja", "xx", "gsd", "Japanese")),
        ("my treebank", "корпус", ("xx", "xx", "my_treebank", "unknown")),
        ("корпус", "корпус", ("xx", "xx", "treebank", "unknown")),
    ],
)
def test_names(read, folder, train, expected):
    source = read(folder, f"{train}-ud-train.conllu")
    assert (source.lang, source.spacy_lang, source.name, source.language) == expected
    assert source.url.rpartition("/")[2] == (folder if folder.startswith("UD_") else "")
    assert source.licence == "unknown" and source.licence_file is None


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (
            "under the Creative Commons Attribution-NonCommercial-\nShareAlike 3.0",
            "CC BY-NC-SA 3.0",
        ),
        ("Creative Commons BY-NC-SA 3.0\n", "CC BY-NC-SA 3.0"),
        ("Attribution-ShareAlike 4.0 International\n\n=====", "CC BY-SA 4.0"),
        ("See creativecommons.org/licenses/by/4.0/legalcode", "CC BY 4.0"),
        ("\nGNU GENERAL PUBLIC LICENSE\nVersion 3\n", "GNU GENERAL PUBLIC LICENSE"),
        ("\n", "unknown"),
    ],
)
def test_licences(read, text, licence):
    source = read("UD_X-Y", "xx_y-ud-train.conllu", LICENSE=text)
    assert source.licence == licence and source.licence_file.name == "LICENSE.txt"


def test_readme(read):
    source = read("UD_X-Y", "xx_y-ud-train.conllu", README=README, LICENSE="CC BY-NC 3.0")
    assert source.licence == "CC BY-SA 4.0" and source.authors == "Doe, Jane; Roe, Richard"
    assert source.references == "* Doe, J. (2020). *A treebank*."
    assert "License" not in source.references


def test_a_folder_of_licences(tmp_path):
    """The layout of REUSE has a folder with this name."""
    (tmp_path / "UD_X-Y" / "LICENSES").mkdir(parents=True)
    assert read_source(tmp_path / "UD_X-Y", tmp_path / "xx_y-ud-train.conllu").licence == "unknown"
