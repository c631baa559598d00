"""The positions of the nodes of a LibCST tree, in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper


class Spans:
    """The nodes of a tree, and the position of each."""

    def __init__(self, tree: cst.Module) -> None:
        # The tree is the parser's own: no node is in it twice.
        self._found = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)

    def nodes(self) -> Iterator[cst.CSTNode]:
        """Yield every node, the parts of one before it."""
        return iter(self._found)

    def start(self, node: cst.CSTNode) -> int:
        """Return where a node begins, without its parentheses."""
        return self._found[node].start

    def end(self, node: cst.CSTNode) -> int:
        """Return where a node ends, without its parentheses."""
        found = self._found[node]
        return found.start + found.length

    def around(self, node: cst.BaseExpression) -> tuple[int, int]:
        """Return the span of an expression with its parentheses."""
        start = self.start(node.lpar[0]) if node.lpar else self.start(node)
        return start, self.end(node.rpar[-1]) if node.rpar else self.end_of_elements(node)

    def end_of_elements(self, node: cst.BaseExpression) -> int:
        """Return where an expression ends, without the trailing comma of a tuple."""
        if not isinstance(node, cst.Tuple) or node.rpar:
            return self.end(node)
        return self.end_of_sequence(node.elements)

    def end_of_sequence(self, elements: Sequence[cst.BaseElement | cst.SubscriptElement]) -> int:
        """Return where elements end, with a trailing comma."""
        comma = elements[-1].comma
        if isinstance(comma, cst.Comma):
            return self.start(comma.whitespace_after)
        return self.end(elements[-1])
