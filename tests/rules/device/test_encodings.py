"""What tokenizers return, and models on a GPU are given."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

HEAD = """\
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, CLIPModel, CLIPProcessor

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
model.to(device)
inputs = tokenizer("a b", return_tensors="pt")
"""
LEFT = {
    "unpacked": "model(**inputs)\n",
    "generated from": "model.generate(**inputs, max_new_tokens=3)\n",
    "generated from a part": 'model.generate(inputs["input_ids"])\n',
    "by attribute": "model(inputs.input_ids)\n",
    "encoded": 'model(tokenizer.encode("a", return_tensors="pt"))\n',
    "made in the call": 'model(**tokenizer(["a"], padding=True, return_tensors="pt"))\n',
    "a processor": 'clip = CLIPModel.from_pretrained("a").to(device)\n'
    'prepare = CLIPProcessor.from_pretrained("a")\nclip(**prepare(text=["a"], return_tensors="pt"))\n',
}
MOVED = {
    "at once": 'model(**tokenizer("a b", return_tensors="pt").to(device))\n',
    "in place": "inputs.to(device)\nmodel(**inputs)\n",
    "each tensor": "model(**{name: one.to(device) for name, one in inputs.items()})\n",
    "each tensor, in place": "for name in inputs:\n    inputs[name] = inputs[name].to(device)\nmodel(**inputs)\n",
    "lists": 'model(**tokenizer("a b"))\n',
    "arrays": 'model(**tokenizer("a b", return_tensors="np"))\n',
    "a model that is spread": 'spread = AutoModelForCausalLM.from_pretrained("gpt2", device_map="auto")\n'
    "spread.generate(**inputs)\n",
    "made elsewhere": "def encode(text):\n    return tokenizer(text, return_tensors='pt')\n"
    "batch = encode('a')\nbatch.to(device)\nmodel(**batch)\n",
}


@pytest.mark.parametrize("code", LEFT.values(), ids=LEFT)
def test_an_encoding_is_left_on_the_host(program: Callable[[str], Checkout], code: str) -> None:
    assert len(program(HEAD + code).findings("unmoved-batch")) == 1


@pytest.mark.parametrize("code", MOVED.values(), ids=MOVED)
def test_an_encoding_that_may_be_moved_is_not_reported(program: Callable[[str], Checkout], code: str) -> None:
    assert program(HEAD + code).findings("unmoved-batch") == []
    assert program(HEAD + code).findings("discarded-move") == []


def test_a_batch_that_is_unpacked_may_be_an_encoding_that_moves_in_place(program: Callable[[str], Checkout]) -> None:
    loop = "from torch.utils.data import DataLoader\nfor batch in DataLoader([{'input_ids': 1}], 1):\n"

    assert len(program(HEAD + loop + "    model(**batch)\n").findings("unmoved-batch")) == 1
    assert program(HEAD + loop + "    batch.to(device)\n    model(**batch)\n").findings("unmoved-batch") == []
