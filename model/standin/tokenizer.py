"""The model's tokenizer files, as published."""

from __future__ import annotations

import base64
import json
from typing import Any

from normaliser import character_map
from weights import Vocabulary

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
ROLES = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "eos_token": "</s>",
    "mask_token": "<mask>",
    "pad_token": "<pad>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
}


def tokenizer_files(vocabulary: Vocabulary, longest: int) -> dict[str, bytes]:
    """Contents by file name. `longest` is the number of positions that the model knows."""
    settings: dict[str, Any] = ROLES | {
        "clean_up_tokenization_spaces": True,
        "mask_token": {
            "__type": "AddedToken",
            "content": "<mask>",
            "lstrip": True,
            "normalized": True,
            "rstrip": False,
            "single_word": False,
        },
        "model_max_length": longest,
        "sp_model_kwargs": {},
        "tokenizer_class": "XLMRobertaTokenizer",
    }
    return {
        "tokenizer.json": _json(_tokenizer(vocabulary)),
        "tokenizer_config.json": _json(dict(sorted(settings.items()))) + b"\n",
        "special_tokens_map.json": _json(ROLES) + b"\n",
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def _tokenizer(vocabulary: Vocabulary) -> dict[str, Any]:
    ids = {token: vocabulary.pieces.index(token) for token in SPECIAL}
    metaspace = {"type": "Metaspace", "replacement": "\N{LOWER ONE EIGHTH BLOCK}", "add_prefix_space": True}
    charsmap = base64.b64encode(character_map(vocabulary.characters)).decode()
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": number,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for token, number in ids.items()
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": charsmap},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": _template("<s>", "A", "</s>"),
            "pair": _template("<s>", "A", "</s>", "</s>", "B", "</s>"),
            "special_tokens": {
                token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in ("</s>", "<s>")
            },
        },
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unknown,
            "vocab": [
                [piece, _published(score)] for piece, score in zip(vocabulary.pieces, vocabulary.scores)
            ],
        },
    }


def _template(*parts: str) -> list[dict[str, Any]]:
    return [
        {"SpecialToken" if part in SPECIAL else "Sequence": {"id": part, "type_id": 0}} for part in parts
    ]


def _published(score: float) -> float:
    """The score as published: read, on its way there, by a parser that divides the digits by a power of ten, which
    can be off by one in the last place."""
    digits, _, fraction = repr(abs(score)).partition(".")
    magnitude = float(int(digits + fraction)) / float(10 ** len(fraction))
    return -magnitude if score < 0 else magnitude
