"""Files of tests and benchmarks: they compare or time what they compute."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

_MOST_FILES = 1_000
_TEST_NAME = re.compile(r"(.*[_-])?(tests?|bench(mark(s|ing)?)?|profil(e|er|ing))([_-].*)?", re.IGNORECASE)
# Trainers are called `test_something.py`, too.
_CHECKING = re.compile(
    r"\bassert|\bgradcheck\b|\bunittest\b|\b(all|is)close\(|\.grad\.(clone|detach)\(|\bperf_counter|\btime\(\)|\bEvent\("
    r"|\b(do_)?bench(mark)?(_\w+)?\("
)


def is_of_tests(file: ParsedFile) -> bool:
    """Tell whether a file is called a test or a benchmark, and compares something, reads a clock or calls what does."""
    return _are_tests(file.path, file.code)


# Asked of the files of all callers of a function, and long files take milliseconds to search.
@lru_cache(maxsize=_MOST_FILES)
def _are_tests(path: str, code: str) -> bool:
    return _TEST_NAME.fullmatch(Path(path).stem) is not None and checks_something(code)


def checks_something(code: str) -> bool:
    """Tell whether code compares something, reads a clock or calls what does."""
    return _CHECKING.search(code) is not None
