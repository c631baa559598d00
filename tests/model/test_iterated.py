"""What loops go through, by what they are written as."""

from __future__ import annotations

import ast

import pytest

from torchlint.syntax.exits import expects_to_raise
from torchlint.syntax.iterated import items_of, shown, sources_of


def _parsed(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


@pytest.mark.parametrize(
    ("code", "selector", "whole", "part"),
    [
        ("xs", (), "xs", ()),
        ("enumerate(xs)", (1,), "xs", ()),
        ("enumerate(xs)", (0,), "enumerate(xs)", (0,)),
        ("enumerate(tqdm(xs), 1)", (1, 0), "xs", (0,)),
        ("zip(xs, reversed(ys))", (1,), "ys", ()),
        ("zip(xs, *rest)", (2,), "zip(xs, *rest)", (2,)),
        ("list(sorted(xs))", (), "xs", ()),
        ("rich.progress.track(xs)", (), "xs", ()),
        ("make(xs)", (), "make(xs)", ()),
    ],
)
def test_the_items_are_those_of(code: str, selector: tuple[int, ...], whole: str, part: tuple[int, ...]) -> None:
    found, left = items_of(_parsed(code), selector)

    assert (ast.unparse(found), left) == (whole, part)


def test_all_that_is_gone_through_is_found() -> None:
    sources = sources_of(_parsed("enumerate(zip(tqdm(xs), iter(ys), range(9)))"))

    assert [ast.unparse(one) for one in sources] == ["xs", "ys", "range(9)"]
    assert ast.unparse(shown(_parsed("tqdm(track(zip(xs, ys)))"))) == "zip(xs, ys)"


@pytest.mark.parametrize(
    ("head", "is_expecting"),
    [
        ("pytest.raises(ValueError)", True),
        ("self.assertRaisesRegex(ValueError, 'x') as seen", True),
        ("numpy.testing.assert_raises(ValueError)", True),
        ("pytest.raises(ValueError) if bad else nullcontext()", True),
        ("torch.no_grad()", False),
        ("raises", False),
    ],
)
def test_a_block_that_expects_an_error_is_known_by_what_it_calls(head: str, is_expecting: bool) -> None:
    block = ast.parse(f"with {head}:\n    pass").body[0]
    assert isinstance(block, ast.With)

    assert expects_to_raise(block) is is_expecting
