"""The sample treebank, files with its first sentences, and a config that trains in seconds."""

from __future__ import annotations

from pathlib import Path

from thinc.api import Config

from spacy_npparse.laboratory import config_path
from spacy_npparse.treebank import read_conllu

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"
# A sentence with a multiword token of one character and two words.
UNCUT = """# sent_id = pt-1
# text = Vamos à praia
1\tVamos\t_\t_\t_\t_\t0\troot\t_\t_
2-3\tà\t_\t_\t_\t_\t_\t_\t_\t_
2\ta\t_\t_\t_\t_\t4\tcase\t_\t_
3\ta\t_\t_\t_\t_\t4\tdet\t_\t_
4\tpraia\t_\t_\t_\t_\t1\tobl\t_\t_

"""


def tiny_config(base: Path | None = None) -> Config:
    """Make a config with a small encoder and parser.

    Args:
        base: The config to shrink; by default accuracy.cfg with an `arc_hybrid_swap_parser`.
    """
    config = Config().from_disk(base or config_path("accuracy"), interpolate=False)
    config["components"]["tok2vec"]["model"].update(width=16, word_width=8, depth=1, word_rows=100)
    if base is None:
        config["components"]["parser"]["factory"] = "arc_hybrid_swap_parser"
    config["components"]["parser"]["model"].update(hidden_size=16, arc_size=8, label_size=8)
    config["training"]["max_steps"] = 3
    return config


def write_part(part: str, path: Path, n_sentences: int) -> Path:
    """Write the first sentences of a part of the sample treebank.

    Args:
        part: train, dev or test.
        path: The file to write.
        n_sentences: The number of sentences.
    """
    sentences = list(read_conllu(SAMPLE / f"sample-ud-{part}.conllu"))[:n_sentences]
    path.write_text("".join(f"{sentence}\n\n" for sentence in sentences), encoding="utf-8")
    return path
