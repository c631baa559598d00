"""What is in newer grammar is parsed into the trees that the running Python makes, each node at its place."""

from __future__ import annotations

import ast
import random
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from torchlint.newer import tree_by
from torchlint.source import read_source
from torchlint.trees import expression_of, is_python, tree_of

HERE = Path(__file__).resolve().parents[2]
# So much of the standard library is read in some seconds; which files is the same in each run.
SAMPLED = 300_000
# What LibCST has no tree for, or would write otherwise.
UNREAD_BY_LIBCST = ("cannot read it", "would write it otherwise")

FORMATTED = """\
x = "é" f"a{ b !r:>{ w }}" \\
 'q'
y = f"{a=}" f'{(a, b)}{ a, b } {a,!r}' rf'\\{c}\\n' u'z' f'{a = !s:}'
def f(z: f'{1}' = f'{2}', *, q=f'{3}') -> f"{x}":
    return f"{x}{y:%d}".join(f"{z!s}")
class C(f'{b}', k=f'{b}'): f'{doc}'
z = [f"{a}", f"", f"{b:{c}}", f'{f"{q}"} {(lambda: 1)}']
e = f'{(1, 2)} {{}} {x:}'; 'ü' f'{a}' '' 'b'
u'p' f'{a:x{b}y}' 'r'
t = f'''
{a}
  {  b
  } \\N{EM DASH} \\t''' + f'{a}' % f'{b}'
f'{yield_}'[f'{a}'], f'{b}', not f'{c}'
"""


def dumped(tree: ast.AST) -> str:
    return ast.dump(tree, include_attributes=True)


def parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def rewritten(text: str) -> ast.Module:
    """Return the tree by way of Python 3.11's grammar, in which nothing is newer on any Python but what came later."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tree_by((3, 11), text)


def sampled(paths: list[Path]) -> Iterator[str]:
    random.Random(0).shuffle(paths)
    length = 0
    for path in paths:
        try:
            text = read_source(path.name, path.read_bytes()).text
            tree = parsed(text)
        except Exception:  # noqa: BLE001 -- not everything in the standard library is to be read
            continue
        if any(type(node).__name__ == "TypeAlias" for node in tree.body):
            continue
        length += len(text)
        if length > SAMPLED:
            return
        yield text


def compared(text: str) -> bool:
    """Tell whether a program could be compared, which is the same then."""
    try:
        tree = rewritten(text)
    except (SyntaxError, ValueError) as error:
        if not any(words in str(error) for words in UNREAD_BY_LIBCST):
            raise
        return False
    assert without_type_parameters(tree) == without_type_parameters(parsed(text))
    return True


def without_type_parameters(tree: ast.Module) -> str:
    """Return a tree as Python 3.11 has it, with its places; those in 3.12 changed from one patch to the next."""
    for node in ast.walk(tree):
        if "type_params" in node._fields:
            node.type_params = []  # type: ignore[attr-defined]
    return ast.dump(tree) if sys.version_info[:2] == (3, 12) else dumped(tree)


@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="its patch releases differ in the formats of f-strings")
def test_every_kind_of_formatted_text_has_the_tree_that_python_makes() -> None:
    assert dumped(rewritten(FORMATTED)) == dumped(parsed(FORMATTED))


def test_the_standard_library_has_the_trees_that_python_makes() -> None:
    library = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    outcomes = [compared(text) for text in sampled([path for path in library if "site-packages" not in path.parts])]

    assert sum(outcomes) >= 0.9 * len(outcomes) > 4


@pytest.mark.parametrize("folder", ["torchlint/model/values", "rules/sync", "fixtures/item-in-training-loop"])
def test_programs_of_the_project_have_the_trees_that_python_makes(folder: str) -> None:
    outcomes = [compared(text) for text in sampled(sorted((HERE / folder).rglob("*.py"))[:120])]

    assert all(outcomes)
    assert outcomes


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.recursive(
        st.sampled_from(["a", "1", "a.b", "(a, b)", "[c]", "'t'", "-é"]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["", "!r", ":>3", ":{w}", " = "])).map(
                lambda one: f"({one[0]}).f(f'''x{{({one[0]}){one[1]}}}y''')"
            ),
            st.tuples(inner, inner).map(lambda two: f"{{{two[0]}: [{two[1]} for a in b]}}"),
            st.tuples(inner, inner).map(lambda two: f"({two[0]} if f'{{a}}' 'é' else {two[1]})"),
        ),
        max_leaves=4,
    )
)
@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="its patch releases differ in the formats of f-strings")
def test_expressions_around_formatted_texts_have_the_trees_that_python_makes(text: str) -> None:
    try:
        tree = parsed(text)
    except SyntaxError:
        return

    assert dumped(rewritten(text)) == dumped(tree)


SAME_LAYOUT = [
    ("class A[T: int = str, *Ts](B[T]): x: T", "class A" + " " * 19 + "(B[T]): x: T"),
    ("def f[T](x: T) -> T: return x", "def f" + " " * 3 + "(x: T) -> T: return x"),
    ("async def f[**P = [int]](): pass", "async def f" + " " * 13 + "(): pass"),
    ("é = f'{a['b']}' 'c'", "é = f'{a[\"b\"]}' 'c'"),
    ("x = f'{f'{a}'}'", "x = f'{f\"{a}\"}'"),
    ("x = f'{a['b']!r:>{w['x']}<}'", 'x = f\'{a["b"]!r:>{w["x"]}<}\''),
    ("f(x, f'{g('é', y=1)}', z)", "f(x, f'{g(\"é\", y=1)}', z)"),
]


@pytest.mark.parametrize(("new", "old"), SAME_LAYOUT, ids=[new for new, _ in SAME_LAYOUT])
def test_newer_grammar_has_the_tree_of_the_same_in_older_grammar(new: str, old: str) -> None:
    assert dumped(rewritten(new)) == dumped(parsed(old))


SAME_MEANING = {
    "type X[T: int] = list[T]": "X = list[T]",
    "if a: type X = f'{b}'; c": "if a: X = f'{b}'; c",
    "x = f'{'\\n'.join(a)}'": "x = f'''{nl.join(a)}'''".replace("nl", '"NL"'),
    "x = f'{\n a  # said\n + b\n}'": "x = f'{a + b}'",
    "x = f'{a, b}'": "x = f'{(a, b)}'",
    "x = t'a {b!r:>{w}} c'": "x = ('a ', b, '>', w, ' c')",
    "try: a\nexcept A, b.B: c": "try: a\nexcept (A, b.B): c",
    "lazy import a.b as c": "import a.b as c",
    "lazy from .a import b": "from .a import b",
    "[*x for x in y]": "[(*x,) for x in y]",
    "{**x for x in y}": "{**(x for x in y)}",
}


@pytest.mark.parametrize("new", SAME_MEANING)
def test_newer_grammar_means_what_the_nearest_in_older_grammar_does(new: str) -> None:
    assert ast.dump(rewritten(new)).replace("'\\n'", "'NL'") == ast.dump(parsed(SAME_MEANING[new]))


STANDS = {
    "type X[T: int] = list[T]": [("Assign", 1, 0, 1, 24), ("Name", 1, 5, 1, 6), ("Subscript", 1, 17, 1, 24)],
    "try: a\nexcept A, b.B: c": [("Tuple", 2, 7, 2, 13), ("Name", 2, 7, 2, 8), ("Attribute", 2, 10, 2, 13)],
    "lazy import a": [("Import", 1, 0, 1, 13), ("alias", 1, 12, 1, 13)],
    "f'{\n é\n + b}'; c": [("JoinedStr", 1, 0, 3, 6), ("BinOp", 2, 1, 3, 4), ("Expr", 3, 8, 3, 9)],
    "x = t'{b} c'": [("Tuple", 1, 4, 1, 12), ("Name", 1, 7, 1, 8), ("Constant", 1, 9, 1, 11)],
}


@pytest.mark.parametrize("text", STANDS)
def test_every_node_stands_where_it_is_written(text: str) -> None:
    nodes = [node for node in ast.walk(rewritten(text)) if node._attributes]

    found = {(type(one).__name__, *(getattr(one, name) for name in one._attributes)) for one in nodes}

    assert set(STANDS[text]) <= found


WRONG = [
    "x = f'{a['b']}' = 1",
    "f'{a['b']}' = 1",
    "del f'{a}'",
    "for f'{a['b']}' in c: pass",
    "x = f'{a['b']!x}'",
    "x = f'{}' f'{a['b']}'",
    "class A[T](B: pass",
    "def f[T](a=1, b): pass",
    "type X = ",
    "try: a\nexcept A, B as e: b",
    "x = t'{a}' f'{b}'",
    "x = t'{a}' 'b'",
    "match a:\n case f'{a['b']}': pass",
    "f(a=1, b, c=f'{d['e']}')",
    "b'a' f'{b['c']}'",
    "x = f'\\x{a['b']}'",
    "try: a\nexcept IOError, error: b",
    "print x, f'{a['b']}'",
]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_any_grammar_is_wrong(text: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        rewritten(text)


def test_what_libcst_would_take_long_for_is_left_to_the_running_python() -> None:
    deep = f"match x:\n case {'(' * 20}a{',)' * 20}: pass\n"

    with pytest.raises(SyntaxError):
        tree_of(deep + "x = f'{a['b']}' +\n")


def test_what_is_newer_is_a_program_and_an_expression_for_everybody() -> None:
    assert is_python("type X = int\nclass A[T]: y = f'{a['b']}'")
    assert not is_python("type X = int +")
    assert isinstance(expression_of("f'cuda:{a['b']}'"), ast.JoinedStr)
