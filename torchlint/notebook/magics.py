"""Convert IPython's own syntax to Python: magics, shell commands and help queries.

Lines keep their number, and Python code on them keeps its columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchlint.trees import is_python

_OF_PYTHON = frozenset("capture debug ipytest prun pypy python python3 time timeit".split())
# Names that are magics without a `%`: https://ipython.readthedocs.io/en/stable/interactive/magics.html
_AUTOMAGIC = frozenset(
    "alias autoawait autocall automagic bookmark cat cd clear colors conda config cp debug dhist dirs edit env "
    "gui hist history ldir less lf lk ll load load_ext logoff logon ls lx macro magic mamba man matplotlib mkdir "
    "more mv notebook page pdb pdef pdoc pfile pinfo pip popd prun psearch psource pushd pwd pycat pylab quickref "
    "recall rehashx reload_ext rerun reset rm rmdir run save set_env store sx system tb time timeit uv who who_ls "
    "whos xdel xmode".split()
)
_CELL_MAGIC = re.compile(r"%%([^\s]*)")
# No statement of Python begins with one of these.
_ESCAPES = tuple("%!?,;/")
# Their operand is a statement of the notebook's own.
_TIMED = re.compile(r"%(?:timeit|time|prun)[ \t]+(?:-[nrlsTD][ \t]+\S+[ \t]+|--?[A-Za-z][\w-]*[ \t]+)*")
_HELP = re.compile(r"[^#\"']*\?[ \t]*$")
_ASSIGNED = re.compile(r"([^=#\"'(){}%!<>]*=[ \t]*)[%!](?!=)")
_WORD = re.compile(r"([a-z_]+)(?:[ \t]+[^\s=(\[,:]|$)")
_MAYBE = re.compile(
    r"^[ \t]*[%!?,;/]|\?[ \t]*$|=[ \t]*[%!]|^[ \t]*(?:" + "|".join(sorted(_AUTOMAGIC)) + r")[ \t]", re.MULTILINE
)
_TOKEN = re.compile(
    r"(?P<newline>\n)|(?P<open>[\[({])|(?P<close>[\])}])|#[^\n]*|\\\n"
    r"|'{3}(?:\\[\s\S]|[^\\])*?(?:'{3}|\Z)|\"{3}(?:\\[\s\S]|[^\\])*?(?:\"{3}|\Z)"
    r"|'(?:\\[\s\S]|[^'\\\n])*'?|\"(?:\\[\s\S]|[^\"\\\n])*\"?"
    r"|[^\n\[\](){}#\\'\"]+|\\"
)


def cell_magic(lines: Sequence[str]) -> str | None:
    """Return the name of the cell magic that a cell begins with, or None."""
    first = next((line for line in lines if line.strip()), "")
    found = _CELL_MAGIC.match(first)
    return found[1] if found else None


def python_of(lines: Sequence[str]) -> list[str] | None:
    """Return the lines of a cell as Python, None for a cell that is in another language."""
    magic = cell_magic(lines)
    if magic is not None and magic not in _OF_PYTHON:
        return None
    text = "\n".join(lines)
    if magic is None and not _MAYBE.search(text):
        return list(lines)
    plain = list(lines)
    at = offset = 0
    while at < len(lines):
        end = _end_of_statement(text, offset)
        count = max(1, text.count("\n", offset, end) + (text[end - 1 : end] != "\n"))
        if _is_for_ipython(lines[at], text[offset:end]):
            count = _continued(lines, at)
            plain[at : at + count] = [_stand_in(lines[at]), *[""] * (count - 1)]
        offset += sum(len(line) + 1 for line in lines[at : at + count])
        at += count
    return plain


def _is_for_ipython(line: str, statement: str) -> bool:
    """Tell whether a line that begins a statement is not Python."""
    code = line.lstrip()
    if code.startswith(_ESCAPES) or _HELP.match(code) or _ASSIGNED.match(code):
        return True
    word = _WORD.match(code)
    return word is not None and word[1] in _AUTOMAGIC and not is_python(statement.lstrip())


def _stand_in(line: str) -> str:
    """Return Python without an effect for a line."""
    code = line.lstrip()
    indent = line[: len(line) - len(code)]
    if (timed := _TIMED.match(code)) and is_python(found := f"{'pass;':<{timed.end()}}{code[timed.end() :]}"):
        return indent + found
    if not code.startswith(_ESCAPES) and not _HELP.match(code) and (assigned := _ASSIGNED.match(code)):
        return f"{indent}{assigned[1]}get_ipython()"
    # A block needs a statement; at the top level a comment is enough.
    return f"{indent}pass" if indent else "#"


def _continued(lines: Sequence[str], at: int) -> int:
    """Return how many lines a command takes: one more for each that ends with a backslash."""
    end = at
    while lines[end].endswith("\\") and end + 1 < len(lines):
        end += 1
    return end - at + 1


def _end_of_statement(text: str, start: int) -> int:
    """Return the offset after the newline that ends the statement at an offset, or the end of the text."""
    depth, at = 0, start
    while found := _TOKEN.match(text, at):
        at = found.end()
        if found.lastgroup == "open":
            depth += 1
        elif found.lastgroup == "close":
            depth = max(0, depth - 1)
        elif found.lastgroup == "newline" and depth == 0:
            break
    return at
