"""The model card of a package, which its wheel contains, and the index of several packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy_npparse.evaluation import Metric, Scores
from spacy_npparse.files import replacing
from spacy_npparse.packaging.sources import MULTI_LANGUAGE, UNKNOWN, TreebankSource
from spacy_npparse.tables import Cell, Column, Table, columns, markdown, percent
from spacy_npparse.treebank import Sentence
from spacy_npparse.trees import nonprojective_arcs
from spacy_npparse.visualisation.trees.picture import render_sentence_svg

# The lengths of a sentence to draw, in words, and the width of its picture in px.
_DRAWN = range(5, 16)
_WIDTH = 900.0
_CARD = """\
# {name}

{description}

| | |
|---|---|
| Language | {language} (`{lang}`) |
| Components | {components} |
| Treebank | {treebank}, {n_train:,} sentences |
| Licence of the treebank | {licence} |
| Made with | spacy_npparse {version}{commit}: `{config}`, `{parser}`, seed {seed} |

Install [spacy_npparse](https://github.com/spacy-npparse/spacy_npparse) and this package. Then load
the pipeline:

```python
import spacy

nlp = spacy.load("{name}")
```

## Scores

F1 of the official evaluation in percent, on `{file}`:

{scores}

On gold tokens and sentences, in percent:

{others}

## Example

![Dependency tree]({name}.svg)

The pipeline parsed this sentence of the dev file. Crossing arcs are coloured. Wrong arcs are
dashed, with the correct ones below the words.

## Limits

{limits}

## Licence and citation

{citation}
"""


@dataclass(frozen=True)
class Measured:
    """The measurements of a pipeline in its final precision.

    Attributes:
        text: Scores from plain text.
        tokens: Scores on gold tokens and sentences.
        file: The name of the file that was parsed.
        is_test: Whether this is the test file rather than the dev file.
        dev: The gold sentences of the dev file.
        parsed: The sentences of the dev file, parsed on gold tokens.
        changed: The number of words of the dev file that get another head or relation in half
            precision. If there are any, the pipeline is in single precision.
        n_train: The number of sentences that the model was trained on.
    """

    text: Scores
    tokens: Scores
    file: str
    is_test: bool
    dev: Sequence[Sentence]
    parsed: Sequence[Sentence]
    changed: int
    n_train: int


def write_card(
    folder: Path, meta: Mapping[str, Any], source: TreebankSource, measured: Measured
) -> None:
    """Write the model card, README.md, and its picture into the folder of a pipeline.

    Args:
        folder: The folder, whose name is that of the package.
        meta: The content of its meta.json.
        source: The treebank that it was trained on.
        measured: The measurements of the pipeline.
    """
    made = meta["spacy_npparse"]
    title = f"[{source.title}]({source.url})" if source.url else source.title
    card = _CARD.format(
        name=folder.name,
        description=meta["description"],
        language=_cell(source.language),
        lang=source.lang,
        components=", ".join(f"`{name}`" for name in meta["pipeline"]),
        treebank=_cell(f"{title} ({source.authors})" if source.authors else title),
        n_train=measured.n_train,
        licence=_cell(source.licence),
        version=made["version"],
        commit=f", commit {made['commit']}" if made["commit"] else "",
        config=made["config"],
        parser=made["parser"],
        seed=made["seed"],
        file=measured.file,
        scores=markdown(_scores(measured)),
        others=markdown(measured.tokens.other_table()),
        limits="\n".join(f"- {limit}" for limit in _limits(source, measured)),
        citation=_citation(source),
    )
    for name, content in (("README.md", card), (f"{folder.name}.svg", _drawing(measured))):
        with replacing(folder / name) as file:
            file.write(content.encode())


def index_page(records: Iterable[Mapping[str, Any]]) -> str:
    """Write a page that lists packages, for the folder that contains `cards` and `wheels`.

    Args:
        records: The contents of the file `Package.record` of each package.

    Returns:
        The page, in Markdown.
    """
    heads = ["Language", "Treebank", "Licence", "Scores on"]
    rates = columns(["LAS, plain text", "LAS, gold tokens"], percent)
    sizes = [Column("MB", "{:.1f}".format)]
    rows = []
    for record in records:
        meta = record["meta"]
        name, performance = f"{meta['lang']}_{meta['name']}", meta["performance"]
        las = [performance[key]["official"]["LAS"]["f1"] for key in ("plain_text", "gold_tokens")]
        size = Cell(record["bytes"] / 1e6, link=f"wheels/{record['wheel']}")
        [treebank] = meta["sources"]
        row = [treebank["language"], treebank["name"], meta["license"], performance["file"]]
        rows.append([Cell(name, link=f"cards/{name}.md"), *row, *las, size])
    table = Table(
        "", [Column("Package"), *(Column(head, left=True) for head in heads), *rates, *sizes], rows
    )
    return f"# Trained pipelines\n\n{markdown(table)}\n"


def _cell(content: str) -> str:
    """Escape what would end a cell of a table."""
    return content.replace("|", "\\|")


def _scores(measured: Measured) -> Table:
    """Tabulate the official F1 scores, except those of columns that the treebank lacks."""
    text, tokens = measured.text.official, measured.tokens.official
    left_out = {*measured.tokens.without_gold, Metric.ELAS}
    rows = [[one.label, text[one].f1, tokens[one].f1] for one in tokens if one not in left_out]
    return Table("", [Column("F1"), *columns(["Plain text", "Gold tokens"], percent)], rows)


def _limits(source: TreebankSource, measured: Measured) -> list[str]:
    n_words = sum(one.n_words for one in measured.dev)
    limits = [
        "The pipeline was trained on one treebank and follows its annotation guidelines. Expect "
        "lower scores on other kinds of text.",
        "The scores are those of one seed. With other seeds, they differ by a few tenths of a "
        "percentage point.",
        f"The weights are in single precision. In half precision, {measured.changed:,} of the "
        f"{n_words:,} words of the dev file would get another head or relation."
        if measured.changed
        else f"The weights are in half precision. All {n_words:,} words of the dev file get the "
        "same head and relation as in single precision.",
    ]
    if not measured.is_test:
        limits.append(
            "The treebank has no test file here, so the scores are those on its dev file. It was "
            "not used to select a checkpoint."
        )
    if source.spacy_lang == MULTI_LANGUAGE != source.lang:
        limits.append(
            f"spaCy has no class for the language `{source.lang}` that works with these "
            "components, so `nlp.lang` is `xx` (multi-language)."
        )
    return limits


def _citation(source: TreebankSource) -> str:
    licence = source.licence
    parts = [
        f"The licence of the treebank is {licence}. Its terms for derived works may apply to this "
        "pipeline."
        if source.licence_file or licence != UNKNOWN
        else "The licence of the treebank is unknown: its README and LICENSE do not name one.",
        f"To cite the treebank:\n\n{source.references}"
        if source.references
        else "To cite the treebank, see its page.",
        'To cite the parser: The spacy_npparse developers, "spacy_npparse: non-projective '
        'dependency parsing for spaCy", and the papers that its documentation names.',
    ]
    return "\n\n".join(parts)


def _drawing(measured: Measured) -> str:
    """Draw the first short sentence of the dev file whose predicted arcs cross, if there is one."""
    pairs = list(zip(measured.parsed, measured.dev, strict=True))
    short = [pair for pair in pairs if pair[0].n_words in _DRAWN] or pairs
    crossing = (pair for pair in short if any(nonprojective_arcs(pair[0].heads)))
    parsed, gold = next(crossing, short[0])
    return render_sentence_svg(parsed, _WIDTH, gold)
