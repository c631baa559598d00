"""IPython's own syntax is no Python, and does not affect the Python around it."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, strategies as st

from torchlint.notebook.magics import python_of


def plain(text: str) -> str | None:
    lines = python_of(text.split("\n"))
    return None if lines is None else "\n".join(lines)


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%load_ext autoreload",
        "%",
        "!pip install 'torch>=2",
        "!!ls",
        "!{sys.executable} -m pip install torch",
        "?print",
        "??print",
        "torch.nn?",
        "torch.nn.Linear??",
        "%time?",
        "/f 1",
        ",f a b",
        ";f a b",
        "pip install torch",
        "cd ..",
        "matplotlib inline",
        "conda install -c pytorch torch",
    ],
)
def test_a_command_is_passed_over(line: str) -> None:
    assert plain(f"a = 1\n{line}\nb = 2") == "a = 1\n#\nb = 2"


def test_a_command_in_a_block_leaves_the_block_something() -> None:
    assert plain("if a:\n    !ls\n    %cd x\nelse:\n\t%pwd") == "if a:\n    pass\n    pass\nelse:\n\tpass"


def test_a_command_over_several_lines_is_passed_over_whole() -> None:
    assert plain("!pip install \\\n  a \\\n  b\nc = 1") == "#\n\n\nc = 1"


@pytest.mark.parametrize("line", ["files = !ls *.py", "out = %timeit -o f()", "a, b = !ls", "x.y =  %sql SELECT 1"])
def test_what_a_command_returns_is_a_value_that_nobody_knows(line: str) -> None:
    target = line[: line.index("=")].rstrip()

    found = plain(line)

    assert found is not None
    assert found.startswith(target)
    assert found.endswith("get_ipython()")


@pytest.mark.parametrize("magic", ["%time ", "%timeit -n 10 -r3 ", "%prun -s cumulative ", "%time   "])
def test_code_that_is_timed_is_code_at_its_place(magic: str) -> None:
    found = plain(f"    {magic}y = model(x)")

    assert found is not None
    assert found.index("y = model(x)") == len(f"    {magic}")
    assert found.startswith("    pass;")


def test_what_cannot_follow_on_a_line_is_not_timed_but_passed_over() -> None:
    assert plain("%time for x in y: f(x)") == "#"


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 1 x = 1", "%%capture out", "\n%%prun"])
def test_the_code_below_a_magic_of_the_cell_is_code(magic: str) -> None:
    assert plain(f"{magic}\ny = model(x)") == f"{'#'.rjust(magic.count(chr(10)) + 1, chr(10))}\ny = model(x)"


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile train.py", "%%javascript", "%%R -i x", "%%"])
def test_a_cell_in_another_language_is_left_out(magic: str) -> None:
    assert plain(f"{magic}\nx = 1") is None


@pytest.mark.parametrize(
    "text",
    [
        "y = (x\n  % 3)",
        "y = x \\\n  % 3",
        's = """\n!no\n%no\nwhy?\n"""',
        "s = '''\n!no\n'''",
        "s = 'it\\'s ('\nx % 3",
        "# why?\nx = 1  # what?",
        "print('what?')",
        "if x == 1 and y != 2: pass",
        "f(a=1, b='%d' % 2)",
        "time = 3\nconfig = {\n  'a': 1,\n}\nsave (x)\nls",
        "run\nload.x = 1\nedit[0] = 1",
        "await f()",
        "async with a as b:\n    pass",
        'f"{x["a"]}"\n"%s" % x',
        "@decorated\ndef f(): ...",
        "ls \\\n    ",
        "if a:\n    run \\\n    \n    ls",
    ],
)
def test_python_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


_PIECES = st.sampled_from(
    [
        "a",
        " = ",
        "(",
        ")",
        "[",
        "]",
        '"',
        "'",
        '"""',
        "\n",
        "\n",
        "\\",
        "#",
        "%",
        "!",
        "?",
        "%%time",
        "ls ",
        "    ",
        "é",
    ]
)


@given(text=st.lists(_PIECES, max_size=14).map("".join))
def test_lines_keep_their_number_whatever_they_are(text: str) -> None:
    found = python_of(text.split("\n"))

    assert found is None or len(found) == text.count("\n") + 1


@given(text=st.lists(_PIECES, max_size=14).map("".join))
def test_what_is_python_already_is_left_alone(text: str) -> None:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return

    assert plain(text) == text
