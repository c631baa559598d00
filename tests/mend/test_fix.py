"""What a fix is made of."""

from __future__ import annotations

from torchlint.finding import Edit, Fix, Span


def test_the_same_edit_twice_is_made_once() -> None:
    line = Edit(Span(1, 1, 1, 1), "import torch\n")
    word = Edit(Span(9, 5, 9, 9), "torch.device")

    assert Fix("Choose a device", (line, word, line), safe=False).edits == (line, word)
