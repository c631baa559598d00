"""Programs that are written for CUDA by other words of theirs are told of it, and not warned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout
from torchlint import Severity

_HEAD = """\
import bitsandbytes as bnb
import torch
import triton
from flash_attn import flash_attn_func
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

"""
_USE = '\nx = torch.ones(1, device="cuda")\n'
WRITTEN = {
    "a kernel": ("@triton.jit\ndef add(x, y):\n    pass\n", "triton.jit"),
    "a tuned kernel": ("@triton.autotune([], key=[])\n@triton.jit\ndef add(x, y):\n    pass\n", "triton.jit"),
    "attention": ("y = flash_attn_func(1, 2, 3)\n", "flash_attn_func"),
    "attention by a word": (
        'net = AutoModelForCausalLM.from_pretrained("a", attn_implementation="flash_attention_2")\n',
        'attn_implementation="flash_attention_2"',
    ),
    "weights of 8 bits": ('net = AutoModelForCausalLM.from_pretrained("a", load_in_8bit=True)\n', "load_in_8bit=True"),
    "weights of 4 bits": ("config = BitsAndBytesConfig(load_in_4bit=True)\n", "load_in_4bit=True"),
    "an optimizer": ("optimizer = bnb.optim.Adam8bit([])\n", "bnb.optim.Adam8bit"),
}
NOT_WRITTEN = {
    "imports alone": "",
    "another attention": 'net = AutoModelForCausalLM.from_pretrained("a", attn_implementation="sdpa")\n',
    "weights as they are": 'net = AutoModelForCausalLM.from_pretrained("a", load_in_8bit=False)\n',
    "weights as the caller says": 'net = AutoModelForCausalLM.from_pretrained("a", load_in_8bit=bool(input()))\n',
    "behind a test": "if torch.cuda.is_available():\n    config = BitsAndBytesConfig(load_in_4bit=True)\n",
}


@pytest.mark.parametrize(("code", "words"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_for_cuda_is_told_of_it(program: Callable[[str], Checkout], code: str, words: str) -> None:
    (one,) = program(_HEAD + code + _USE).findings("hardcoded-cuda")

    assert one.severity is Severity.INFO
    assert one.message == (
        f'`"cuda"` raises on a machine without CUDA, which `{words}` needs too; choose the device once'
    )


@pytest.mark.parametrize("code", NOT_WRITTEN.values(), ids=NOT_WRITTEN)
def test_what_could_run_anywhere_is_warned(program: Callable[[str], Checkout], code: str) -> None:
    (one,) = program(_HEAD + code + _USE).findings("hardcoded-cuda")

    assert one.severity is Severity.WARNING
