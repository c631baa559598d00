"""What is shown where the mouse rests."""

from __future__ import annotations

import pytest

from tests.server.editor import Start

pytestmark = pytest.mark.asyncio

TEXT = """\
import torch
x = "🎉"; model = torch.nn.Linear(1, 1).cuda()  # torchlint: ignore[hardcoded-cuda, kept-graph]
other = torch.nn.Linear(1, 1).cuda()
"""


async def test_a_name_in_a_comment_shows_the_page_of_the_rule(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", TEXT)
    line = TEXT.split("\n")[1]
    # The party popper is two units of UTF-16.
    column = line.index("hardcoded-cuda") + 1

    page = await editor.hover(uri, 1, column + 2)
    other = await editor.hover(uri, 1, line.index("kept-graph") + 3)

    assert page.startswith("**hardcoded-cuda**: warning, ")
    assert "### Bad\n\n```python\n" in page
    assert "#: claim" not in page
    assert other.startswith("**kept-graph**: ")


async def test_the_line_of_a_finding_shows_why_it_is_one(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", TEXT)

    inside, beside = await editor.hover(uri, 2, 10), await editor.hover(uri, 2, 2)

    assert inside.startswith("**hardcoded-cuda**: warning, ")
    assert inside == beside


async def test_nothing_is_shown_where_nothing_is(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", TEXT)

    assert await editor.hover(uri, 0, 3) == ""
