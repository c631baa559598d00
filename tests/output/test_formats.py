"""What holds for every format, the ones to come included."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, strategies as st

from tests.output.ci_logs import azure_command, github_command
from tests.output.hostile import GROUPED_RUNS, RUNS
from tests.output.reports import TRAIN, item_finding, report_of, settings, text_of
from torchlint.errors import UsageError
from torchlint.output import FORMATS, OutputSettings, render
from torchlint.report import FileReport

OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ANSI = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\")
# They are made of commands to a runner; their own tests hold them to what these say.
COMMANDS = {"github", "azure"}
# The worst findings come first there, or totals, so that all must be known before any is written.
WAIT_FOR_ALL = {"github", "azure", "sarif", "junit", "html", "markdown"}

every_format = pytest.mark.parametrize("name", FORMATS)


# Each run that is thought of is written in every format: to think of it takes longer than to write it.
@given(run=RUNS | GROUPED_RUNS, statistics=st.booleans(), quiet=st.booleans(), width=st.none() | st.integers(1, 100))
def test_nothing_that_a_terminal_obeys_is_written(
    run: list[FileReport], statistics: bool, quiet: bool, width: int | None
) -> None:
    texts = written_in(FORMATS, run, settings(statistics=statistics, quiet=quiet, width=width))

    assert [name for name, text in texts.items() if OBEYED.search(text)] == []
    assert [text.encode("utf-8") for text in texts.values()]


@given(run=RUNS | GROUPED_RUNS, statistics=st.booleans(), quiet=st.booleans())
def test_no_log_of_a_ci_obeys_what_is_written(run: list[FileReport], statistics: bool, quiet: bool) -> None:
    texts = written_in(FORMATS.keys() - COMMANDS, run, settings(statistics=statistics, quiet=quiet))

    lines = [(name, line) for name, text in texts.items() for line in re.split("[\r\n]", text)]

    assert [(name, line) for name, line in lines if github_command(line) or azure_command(line)] == []


@given(run=RUNS | GROUPED_RUNS, statistics=st.booleans())
def test_colour_and_links_add_nothing_else(run: list[FileReport], statistics: bool) -> None:
    plain = written_in(FORMATS, run, settings(statistics=statistics))

    marked = written_in(FORMATS, run, settings(statistics=statistics, color=True, hyperlinks=True))

    assert {name: ANSI.sub("", text) for name, text in marked.items()} == plain


@given(run=RUNS | GROUPED_RUNS)
def test_every_line_is_ended(run: list[FileReport]) -> None:
    texts = written_in(FORMATS, run, settings())

    assert [name for name, text in texts.items() if not text.endswith("\n") and text != ""] == []


def written_in(formats: Iterable[str], run: list[FileReport], out: OutputSettings) -> dict[str, str]:
    """Return what a run looks like in each of some formats."""
    return {name: text_of(name, *run, out=out) for name in formats}


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - WAIT_FOR_ALL))
def test_findings_are_written_as_their_file_is_done(name: str) -> None:
    asked: list[str] = []

    def coming() -> Iterator[FileReport]:
        for path in ("a.py", "b.py"):
            asked.append(path)
            yield report_of(TRAIN, item_finding(path), path=path)

    for chunk in render(name, coming(), settings()):
        if "item-in-training-loop" in chunk:
            break

    assert asked == ["a.py"]


@pytest.fixture(scope="module")
def written_by_seed() -> list[dict[str, list[str]]]:
    """Return what processes with other seeds of hashes write of the same findings, by formats."""
    code = (
        "import json\n"
        "from tests.output.reports import *\n"
        "from torchlint.output import FORMATS\n"
        "run = [report_of(TRAIN, item_finding(p), nan_finding(p, 'x != float(\"nan\")'), path=p) for p in 'bca']\n"
        "outs = (settings(), settings(statistics=True))\n"
        "print(json.dumps({name: [text_of(name, *run, out=out) for out in outs] for name in FORMATS}))"
    )
    seeds = ({"PYTHONHASHSEED": seed, "PYTHONPATH": "."} for seed in ("0", "1"))
    runs = (subprocess.run([sys.executable, "-c", code], env=seed, capture_output=True, check=True) for seed in seeds)
    return [json.loads(run.stdout) for run in runs]


@every_format
def test_the_same_findings_make_the_same_bytes_whatever_the_hash_seed(
    name: str, written_by_seed: list[dict[str, list[str]]]
) -> None:
    one, other = (written[name] for written in written_by_seed)

    assert one == other


def test_the_time_runs_from_when_rendering_began() -> None:
    ticks = iter([10.0, 12.5])

    text = "".join(render("concise", [FileReport("a.py")], OutputSettings(clock=lambda: next(ticks))))

    assert text == "All checks passed (1 file, 2.50 s).\n"


def test_an_unknown_format_is_told_with_those_that_there_are() -> None:
    with pytest.raises(
        UsageError,
        match="unknown output format `xml`; there are full, concise, grouped, json, json-v1, json-lines, github",
    ):
        text_of("xml")


def counted(reports: Iterator[FileReport], out: OutputSettings) -> Iterator[str]:
    """Write a format of one line, as a contributor would add it."""
    yield f"{sum(len(report.findings) for report in reports)} in {out.elapsed} s\n"


def test_a_format_is_a_function_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "counted", f"{__name__}:counted")

    assert text_of("counted", report_of(TRAIN, item_finding())) == "1 in 0.41 s\n"


def test_naming_the_formats_imports_none_of_them() -> None:
    code = "import sys, torchlint.output; print(*sorted(name for name in sys.modules if name.startswith('torchlint.')))"

    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()

    assert modules == [
        "torchlint.errors",
        "torchlint.formats",
        "torchlint.output",
        "torchlint.output.settings",
    ]


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """Return the modules that are there once text can be written."""
    code = "import sys, torchlint.output.full, torchlint.output.concise; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split())


@pytest.mark.parametrize("module", ["json", "libcst", "multiprocessing", "pathspec", "importlib.metadata"])
def test_writing_text_does_not_import_what_is_slow(module: str, imported: set[str]) -> None:
    assert "torchlint.output.concise" in imported
    assert module not in imported
