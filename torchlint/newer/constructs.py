"""The syntax that Python added since 3.10, and how each is written in older versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

import libcst as cst

from torchlint.newer.rewriting import Rewrite, Rewriting
from torchlint.newer.spans import Spans
from torchlint.newer.strings import FORMATTED, Texts, side_by_side
from torchlint.newer.texts import Text

Version: TypeAlias = "tuple[int, int]"
# The version that added a construct, the node that contains it, and how it is rewritten.
Construct: TypeAlias = "tuple[Version, type[cst.CSTNode], Callable[..., Iterator[Rewrite]]]"

_NO_NEWLINE = re.compile(r"[^\n]")
_SINCE_FORMATTED = {cst.FormattedString: (3, 12), cst.TemplatedString: (3, 14)}


def rewritten(tree: cst.Module, text: str, running: Version) -> Rewriting:
    """Return a program with all that came after a version of Python rewritten for that one."""
    data, spans = text.encode(), Spans(tree)
    rewrites = [
        rewrite
        for node in spans.nodes()
        for since, kind, rewrites_of in _CONSTRUCTS
        if since > running and isinstance(node, kind)
        for rewrite in rewrites_of(node, spans)
    ]
    texts: list[Text] = []
    found = Texts(data, spans)
    for strings in _texts(spans, running):
        rewrites += found.rewrites(strings)
        texts.append(found.text(strings))
    return Rewriting(data, rewrites, texts)


def blanked(tree: cst.Module, text: str, running: Version) -> str:
    """Return a program with names in brackets for its newer formatted strings, and everything at its position."""
    data, spans = text.encode(), Spans(tree)
    comments = [(spans.start(node), spans.end(node)) for node in spans.nodes() if isinstance(node, cst.Comment)]
    rewrites = [
        rewrite
        for strings in _texts(spans, running)
        for rewrite in _in_brackets(data, spans.start(strings[0]), spans.end(strings[-1]), comments)
    ]
    return Rewriting(data, rewrites, ()).text


def _in_brackets(data: bytes, start: int, end: int, comments: list[tuple[int, int]]) -> Iterator[Rewrite]:
    """Yield the rewrites that make names in brackets of a span, without the comments in it."""
    yield Rewrite(start, start + 1, "(")
    done = start + 1
    for comment, behind in (*(one for one in comments if start < one[0] < end), (end - 1, end)):
        yield Rewrite(done, comment, _NO_NEWLINE.sub("_", data[done:comment].decode()))
        done = behind
    yield Rewrite(end - 1, end, ")")


def _texts(spans: Spans, running: Version) -> Iterator[list[cst.BaseString]]:
    """Yield the formatted strings that are newer than a version, each as its parts."""
    strings = [node for node in spans.nodes() if isinstance(node, (cst.ConcatenatedString, *FORMATTED))]
    parts = {part for node in strings if isinstance(node, cst.ConcatenatedString) for part in (node.left, node.right)}
    for node in strings:
        single = side_by_side(node)
        since = max((_SINCE_FORMATTED.get(type(one), running) for one in single), default=running)
        if node not in parts and since > running:
            yield single


def _type_parameters(node: cst.TypeParameters, spans: Spans) -> Iterator[Rewrite]:
    yield Rewrite(spans.start(node), spans.end(node))


def _default(node: cst.TypeParam, spans: Spans) -> Iterator[Rewrite]:
    if node.default is not None:
        yield Rewrite(spans.end(node.param), spans.around(node.default)[1])


def _type_alias(node: cst.TypeAlias, spans: Spans) -> Iterator[Rewrite]:
    yield Rewrite(spans.start(node), spans.start(node.name))


def _except_without_parentheses(node: cst.ExceptHandler | cst.ExceptStarHandler, spans: Spans) -> Iterator[Rewrite]:
    # With a name after it, the tuple needs its parentheses in every Python.
    if isinstance(node.type, cst.Tuple) and not node.type.lpar and node.name is None and not _is_of_python_2(node.type):
        yield from _in_parentheses(*spans.around(node.type))


def _is_of_python_2(caught: cst.Tuple) -> bool:
    """Tell whether `except IOError, error:` is meant to bind a name, as it did before Python 3."""
    last = caught.elements[-1].value
    return len(caught.elements) == 2 and isinstance(last, cst.Name) and last.value.islower()


def _except_star(node: cst.ExceptStarHandler, spans: Spans) -> Iterator[Rewrite]:
    star = spans.end(node.whitespace_after_except)
    yield Rewrite(star, star + 1, " ")


def _star_in_subscript(node: cst.Subscript, spans: Spans) -> Iterator[Rewrite]:
    if any(isinstance(one.slice, cst.Index) and one.slice.star for one in node.slice):
        end, last = spans.end_of_sequence(node.slice), spans.end(node.slice[-1])
        yield from _in_parentheses(spans.start(node.slice[0]), end, needs_comma=end == last)


def _star_in_annotation(node: cst.Annotation, spans: Spans) -> Iterator[Rewrite]:
    if isinstance(node.annotation, cst.StarredElement):
        yield Rewrite(spans.start(node.annotation), spans.start(node.annotation.value))


def _lazy_import(node: cst.LazyImport | cst.LazyImportFrom, spans: Spans) -> Iterator[Rewrite]:
    yield Rewrite(spans.start(node), spans.end(node.whitespace_after_lazy))


def _star_in_comprehension(node: cst.BaseSimpleComp, spans: Spans) -> Iterator[Rewrite]:
    if isinstance(node.elt, cst.StarredElement):
        yield from _in_parentheses(*spans.around(node.elt), needs_comma=True)


def _dicts_in_comprehension(node: cst.StarredDictComp, spans: Spans) -> Iterator[Rewrite]:
    yield from _in_parentheses(spans.around(node.value)[0], spans.end(node.for_in))


def _in_parentheses(start: int, end: int, *, needs_comma: bool = False) -> Iterator[Rewrite]:
    yield Rewrite(start, start, "(")
    yield Rewrite(end, end, ",)" if needs_comma else ")")


_CONSTRUCTS: tuple[Construct, ...] = (
    ((3, 11), cst.ExceptStarHandler, _except_star),
    ((3, 11), cst.Subscript, _star_in_subscript),
    ((3, 11), cst.Annotation, _star_in_annotation),
    ((3, 12), cst.TypeParameters, _type_parameters),
    ((3, 12), cst.TypeAlias, _type_alias),
    ((3, 13), cst.TypeParam, _default),
    ((3, 14), cst.ExceptHandler, _except_without_parentheses),
    ((3, 14), cst.ExceptStarHandler, _except_without_parentheses),
    ((3, 15), cst.LazyImport, _lazy_import),
    ((3, 15), cst.LazyImportFrom, _lazy_import),
    ((3, 15), cst.BaseSimpleComp, _star_in_comprehension),
    ((3, 15), cst.StarredDictComp, _dicts_in_comprehension),
)
