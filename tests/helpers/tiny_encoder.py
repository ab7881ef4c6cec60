"""Folders of tiny pretrained encoders with random weights, in the format of Hugging Face."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

HIDDEN, INNER, HEADS, DEPTH, POSITIONS = 12, 20, 3, 4, 64
LETTERS = "abcdefghijklmnopqrstuvwxyzáéíóöőúüű.,!?'-0123456789"
# For each family, the special pieces before and after a text.
ENDS = {"bert": ("[CLS]", "[SEP]"), "roberta": ("<s>", "</s>")}
ENDS["camembert"] = ENDS["xlm-roberta"] = ENDS["roberta"]
FAMILIES = sorted(ENDS)


def write_encoder(folder: Path, family: str = "bert", depth: int = DEPTH, **changes: Any) -> Path:
    """Write an encoder.

    Args:
        folder: The folder to write, which may exist.
        family: The model_type.
        depth: The number of layers.
        changes: Changes of config.json, which do not affect the weights.

    Returns:
        The folder.
    """
    folder.mkdir(exist_ok=True)
    tokenizer = make_tokenizer(family)
    tokenizer.save(str(folder / "tokenizer.json"))
    n_pieces = tokenizer.get_vocab_size()
    config = dict(
        model_type=family,
        hidden_size=HIDDEN,
        intermediate_size=INNER,
        num_attention_heads=HEADS,
        num_hidden_layers=depth,
        vocab_size=n_pieces,
        max_position_embeddings=POSITIONS + 2 * (family != "bert"),
        type_vocab_size=2 if family == "bert" else 1,
        pad_token_id=0 if family == "bert" else 1,
        hidden_act="gelu",
        layer_norm_eps=1e-5,
    )
    generator = torch.Generator().manual_seed(0)
    save_file(random_weights(config, generator), folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config | changes))
    return folder


def random_weights(config: dict[str, Any], generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Return weights. In each row of a matrix, they are multiples of 1/127 of the largest value."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]

    def draw(*shape: int) -> torch.Tensor:
        values = 0.3 * torch.randn(*shape, generator=generator)
        if len(shape) == 1:
            return values
        scale = values.abs().amax(dim=1, keepdim=True) / 127
        return (values / scale).round() * scale

    tables = dict(
        word_embeddings=config["vocab_size"],
        position_embeddings=config["max_position_embeddings"],
        token_type_embeddings=config["type_vocab_size"],
    )
    weights = {f"embeddings.{name}.weight": draw(n, hidden) for name, n in tables.items()}
    linear = {"attention.output.dense": (hidden, hidden)}
    linear |= {f"attention.self.{part}": (hidden, hidden) for part in ("query", "key", "value")}
    linear |= {"intermediate.dense": (inner, hidden), "output.dense": (hidden, inner)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(config["num_hidden_layers"]):
        start = f"encoder.layer.{layer}."
        norms += [f"{start}attention.output.LayerNorm", f"{start}output.LayerNorm"]
        for name, shape in linear.items():
            weights[f"{start}{name}.weight"] = draw(*shape)
            weights[f"{start}{name}.bias"] = draw(shape[0])
    for name in norms:
        weights[f"{name}.weight"] = 1 + draw(hidden)
        weights[f"{name}.bias"] = draw(hidden)
    return weights


def make_tokenizer(family: str) -> Tokenizer:
    """Make a tokenizer: WordPiece for BERT, BPE for RoBERTa, Unigram for the other families."""
    first, last = ENDS[family]
    if family == "bert":
        names = ["[PAD]", "[UNK]", first, last]
        pieces = [*names, *LETTERS, *(f"##{letter}" for letter in LETTERS), "haus", "##en", "der"]
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(strip_accents=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    elif family == "roberta":
        names = [first, "<pad>", last, "<unk>"]
        letters = [*pre_tokenizers.ByteLevel.alphabet()]
        pieces = [*names, *sorted(letters), "en", "Ġh"]
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        tokenizer = Tokenizer(models.BPE(vocabulary, [("e", "n"), ("Ġ", "h")]))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        tokenizer.decoder = decoders.ByteLevel()
    else:
        names = [first, "<pad>", last, "<unk>"]
        pieces = [*names, "▁", *LETTERS, "▁haus", "en", "er", "▁d"]
        scored = [(piece, -len(pieces) / (1 + len(piece))) for piece in pieces]
        tokenizer = Tokenizer(models.Unigram(scored, unk_id=3))
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(names)
    bounds = [(name, tokenizer.token_to_id(name)) for name in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=bounds
    )
    return tokenizer
