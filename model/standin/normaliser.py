"""The tokenizer's character map, rebuilt byte for byte.

The published map is SentencePiece's nmt_nfkc as it was under an older Unicode version. Today's SentencePiece has that
rule set under a newer one; what Unicode added since is known from the single characters, which the weight file holds.
"""

from __future__ import annotations

import io
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import sentencepiece

# Scripts that Unicode has gained since, whose letters compose from characters that the single ones don't tell of.
NEWER_SCRIPTS = (
    range(0x105C0, 0x10600),
    range(0x11380, 0x11400),
    range(0x11900, 0x11960),
    range(0x16100, 0x16140),
    range(0x16D40, 0x16D80),
)


def character_map(single: dict[str, str]) -> bytes:
    """The compiled map whose rules for single characters are the given ones."""
    today = _rules(_compile(normalization_rule_name="nmt_nfkc"))
    newer = {text for text in today if len(text) == 1 and text not in single}

    def is_newer(character: str) -> bool:
        return character in newer or any(ord(character) in script for script in NEWER_SCRIPTS)

    rules = {text: to for text, to in today.items() if not any(map(is_newer, text))} | single
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "rules.tsv")
        table.write_text("".join(f"{_codes(text)}\t{_codes(rules[text])}\n" for text in sorted(rules)))
        return _compile(normalization_rule_tsv=str(table))


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def _compile(**rules: str) -> bytes:
    """SentencePiece compiles rules only as it trains, so this trains a model of no further use."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f"] * 10),
        model_writer=model,
        model_type="char",
        vocab_size=10,
        hard_vocab_limit=False,
        minloglevel=3,
        **rules,
    )
    normalizer_spec, precompiled_charsmap = 3, 2
    return _field(_field(model.getvalue(), normalizer_spec), precompiled_charsmap)


def _field(message: bytes, wanted: int) -> bytes:
    """A protobuf message's first field of that number. The model's classes would be one more dependency."""
    for number, value in _fields(message):
        if number == wanted:
            return value
    raise ValueError(f"no field {wanted} in the SentencePiece model")


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    stream = io.BytesIO(message)
    fixed = {1: 8, 5: 4}
    while stream.tell() < len(message):
        number, kind = divmod(_varint(stream), 8)
        if kind == 0:
            _varint(stream)
        else:
            yield number, stream.read(fixed.get(kind) or _varint(stream))


def _varint(stream: io.BytesIO) -> int:
    value = shift = 0
    while True:
        byte = stream.read(1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7


def _rules(compiled: bytes) -> dict[str, str]:
    """The rules of a compiled map: the size of a double-array trie (Darts), the trie, then the texts that its values
    point at, each ending in NUL."""
    (size,) = struct.unpack_from("<I", compiled)
    units: list[int] = np.frombuffer(compiled, "<u4", size // 4, 4).tolist()
    texts = compiled[4 + size :]

    def offset(unit: int) -> int:
        return (unit >> 10) << ((unit & 0x200) >> 6)

    rules = {}
    pending = [(offset(units[0]), b"")]
    while pending:
        base, prefix = pending.pop()
        for label in range(1, 256):
            node = base ^ label
            if node >= len(units) or units[node] & 0x8000_00FF != label:
                continue
            key, children = prefix + bytes([label]), node ^ offset(units[node])
            pending.append((children, key))
            has_value = units[node] & 0x100
            if has_value:
                start = units[children] & 0x7FFF_FFFF
                rules[key.decode()] = texts[start : texts.index(b"\0", start)].decode()
    return rules
