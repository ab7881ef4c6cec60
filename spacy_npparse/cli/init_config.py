"""The command `init-config`, which writes a training config."""

from __future__ import annotations

import shlex
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._pipeline import Code
from spacy_npparse.cli._report import print_result, write_text
from spacy_npparse.files import is_stream
from spacy_npparse.imported_code import import_code
from spacy_npparse.laboratory import complete_config, config_path
from spacy_npparse.models import check_encoder

_STDOUT = Path("-")


class Optimize(str, Enum):
    """The goal that a pipeline is optimised for."""

    ACCURACY = "accuracy"
    SPEED = "speed"
    TRANSFORMER = "transformer"


_CONFIGS = {
    Optimize.ACCURACY: "accuracy",
    Optimize.SPEED: "fast",
    Optimize.TRANSFORMER: "transformer",
}


_Parser = Annotated[
    str | None,
    typer.Option(
        help="Factory of the parser, with or without `_parser`.  [default: arc_hybrid_swap for "
        "speed, otherwise mh4]"
    ),
]
Encoder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder of a pretrained BERT, RoBERTa, CamemBERT or XLM-R, for --optimize "
        "transformer.",
    ),
]


def _base(optimize: Optimize, encoder: Path | None) -> str:
    """Find the config to complete. A pretrained encoder is checked now rather than in training."""
    if encoder is None:
        return _CONFIGS[optimize]
    if optimize is not Optimize.TRANSFORMER:
        fail("--encoder needs --optimize transformer.")
    check_encoder(encoder)
    return _CONFIGS[Optimize.ACCURACY]


@app.command()
@user_errors
def init_config(
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .cfg; - is stdout.")
    ],
    parser: _Parser = None,
    optimize: Annotated[
        Optimize,
        typer.Option(
            help="accuracy: a BiLSTM; speed: a small BiLSTM for the CPU; transformer: a BiLSTM on "
            "the frozen transformer of --encoder, or without --encoder XLM-RoBERTa through "
            "spacy-transformers, for the GPU."
        ),
    ] = Optimize.ACCURACY,
    lang: Annotated[
        str, typer.Option(help="Language code of spaCy, such as hu; xx is multi-language.")
    ] = "xx",
    encoder: Encoder = None,
    force: Annotated[bool, typer.Option("--force", "-F", help="Overwrite the file.")] = False,
    code: Code = None,
) -> None:
    """Write a complete training config.

    The config is for a pipeline with taggers, a lemmatizer and a parser, which is trained on
    CoNLL-U files. As in a config of `spacy init config`, all defaults are explicit. Only those of
    the parser are not, so that you can use another parser by changing the name of the factory.

    Examples:

    \b
      python -m spacy_npparse init-config config.cfg --parser mst --lang hu
      python -m spacy_npparse init-config - --optimize speed --lang de
      python -m spacy_npparse init-config config.cfg --optimize transformer --encoder e5-small
      python -m spacy train config.cfg --output training --paths.train train.conllu \\
        --paths.dev dev.conllu
    """
    base = _base(optimize, encoder)
    if target != _STDOUT:
        if target.exists() and not is_stream(target) and not force:
            fail(f"{target} exists already. Give --force to overwrite it.")
        check_outputs([target], [code, config_path(base)])
    import_code(code)
    try:
        config = complete_config(base, parser, lang, encoder)
    except ValueError as error:
        fail(str(error))
    if target == _STDOUT:
        print_result(config.to_str(interpolate=False))
        return
    write_text(config.to_str(interpolate=False) + "\n", target)
    factory = config["components"]["parser"]["factory"]
    typer.echo(
        f"{target}: {factory}, {lang}, optimised for {optimize.value}. To train it:\n"
        f"python -m spacy train {shlex.quote(str(target))} --output training "
        "--paths.train train.conllu --paths.dev dev.conllu",
        err=True,
    )
