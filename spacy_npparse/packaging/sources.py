"""The metadata of a UD treebank: language, licence and contributors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from spacy.util import get_lang_class, registry

from spacy_npparse.treebank_names import treebank_name

UNKNOWN = "unknown"
_GITHUB = "https://github.com/UniversalDependencies"
# spaCy's code for multi-language pipelines.
MULTI_LANGUAGE = "xx"
# spaCy's codes where they differ from those of Universal Dependencies: Bokmål.
_SPACY_CODES = {"no": "nb"}
# File names: the code of the language, and usually the name of the treebank.
_FILE = re.compile(r"([a-z]{2,3})(?:_(.+))?")
_FOLDER = re.compile(r"UD_([^-]+)(?:-(.+))?")
# The last lines of a README have the form `License: CC BY-SA 4.0`.
_METADATA = r"^{}: *(.+)$"
_REFERENCES = re.compile(
    r"^#+ *(?:References?|Citations?|How to cite)\b[^\n]*\n(.*?)(?=^#|^<pre>|^===|\Z)",
    re.M | re.S | re.I,
)
_CREATIVE_COMMONS = re.compile(r"\bBY((?:-(?:NC|SA|ND))*)(?:[ /-])(\d\.\d)", re.I)
_WORDS = {
    "Attribution": "BY",
    "NonCommercial": "NC",
    "ShareAlike": "SA",
    "NoDerivatives": "ND",
    "NoDerivs": "ND",
    "-\n": "-",
}
_LONGEST_NAME = 80
# The components of spaCy in the configs of this package.
_OF_SPACY = ("tagger", "morphologizer")
_LICENCE = "LICEN[SC]E*"


@dataclass(frozen=True)
class TreebankSource:
    """The metadata of a treebank, for packages of pipelines that were trained on it.

    Attributes:
        folder: The folder of the treebank.
        lang: The code of the language in Universal Dependencies; `xx` if unknown.
        name: The name without the language, in lower case, such as `proiel`.
        language: The name of the language; `unknown` if the folder is not named after it.
        licence: The name of the licence; `unknown` if no file states it.
        authors: The contributors; empty if no README names them.
        references: The section of the README that lists publications to cite; empty if none.
    """

    folder: Path
    lang: str
    name: str
    language: str
    licence: str
    authors: str
    references: str

    @property
    def title(self) -> str:
        """The name of the folder."""
        return self.folder.absolute().name

    @property
    def url(self) -> str:
        """The page of the treebank at Universal Dependencies; empty for other treebanks."""
        return f"{_GITHUB}/{self.title}" if _FOLDER.fullmatch(self.title) else ""

    @property
    def spacy_lang(self) -> str:
        """The code of spaCy's class for the language; `xx` if there is none, or if it has taggers
        of its own, whose settings differ from those of this package's configs."""
        code = _SPACY_CODES.get(self.lang, self.lang)
        try:
            get_lang_class(code)
        except ImportError:
            return MULTI_LANGUAGE
        has_own = any(registry.has("factories", f"{code}.{name}") for name in _OF_SPACY)
        return MULTI_LANGUAGE if has_own else code

    @property
    def licence_file(self) -> Path | None:
        """The file with the licence; None if there is none."""
        return next(iter(_files(self.folder, _LICENCE)), None)


def read_source(folder: Path, train: Path) -> TreebankSource:
    """Read the metadata of a treebank.

    Args:
        folder: The folder, as Universal Dependencies releases it. README and LICENSE are optional.
        train: The training file, which is named after the language and the treebank.
    """
    in_folder = _FOLDER.fullmatch(folder.absolute().name)
    stem = treebank_name(train)
    in_file = _FILE.fullmatch(stem)
    lang, name = (in_file[1], in_file[2]) if in_file else (MULTI_LANGUAGE, stem)
    name = name or (in_folder and in_folder[2]) or folder.absolute().name.removeprefix("UD_")
    readme = "\n".join(map(_text, _files(folder, "README*")))
    references = _REFERENCES.search(readme)
    return TreebankSource(
        folder,
        lang,
        _name_part(name) or _name_part(folder.absolute().name) or "treebank",
        in_folder[1].replace("_", " ") if in_folder else UNKNOWN,
        _metadata("License", readme) or _licence(folder) or UNKNOWN,
        _metadata("Contributors", readme),
        references[1].strip() if references else "",
    )


def _name_part(name: str) -> str:
    """Reduce a name to the characters of package names."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _licence(folder: Path) -> str:
    """Read the name of a Creative Commons licence in the licence file, or else its first line.
    Empty if there is no file."""
    text = "\n".join(map(_text, _files(folder, _LICENCE)))
    short = text
    for word, letters in _WORDS.items():
        short = short.replace(word, letters)
    if found := _CREATIVE_COMMONS.search(short):
        return f"CC BY{found[1].upper()} {found[2]}"
    lines = text.strip().splitlines()
    return lines[0][:_LONGEST_NAME] if lines else ""


def _metadata(key: str, readme: str) -> str:
    found = re.search(_METADATA.format(key), readme, re.M)
    return found[1].strip() if found else ""


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
