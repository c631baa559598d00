"""A configuration extends another one: the nearer file overrides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.refused import refusal
from torchlint import Confidence, Severity
from torchlint.config import Layer, load_config
from torchlint.config.reading import inline_layer
from torchlint.errors import UsageError


def written(name: str, text: str) -> Path:
    """Return a file of the folder where torchlint runs."""
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_values_and_lists_of_the_nearer_file_stand_and_the_others_come_from_what_it_extends() -> None:
    written("base.toml", 'select = ["sync"]\nignore = ["device"]\nfail-on = "error"\nmin-confidence = "low"')
    file = written("torchlint.toml", 'extend = "base.toml"\nignore = ["kept-graph"]\nfail-on = "info"')

    config = load_config(file)

    assert (config.select, config.ignore) == (("sync",), ("kept-graph",))
    assert (config.fail_on, config.confidence) == (Severity.INFO, Confidence.LOW)


def test_tables_are_added_to() -> None:
    written("base.toml", '[severity]\nsync = "info"\ndevice = "info"\n[per-file-ignores]\n"a.py" = ["sync"]')
    file = written(
        "torchlint.toml", 'extend = "base.toml"\n[severity]\nsync = "error"\n[per-file-ignores]\n"b.py" = []'
    )

    config = load_config(file)

    assert config.severity == {"sync": Severity.ERROR, "device": Severity.INFO}
    assert config.per_file_ignores == (("a.py", ("sync",)), ("b.py", ()))


def test_extend_select_and_extend_exclude_add_up_over_files() -> None:
    written("base.toml", 'select = ["sync"]\nextend-select = ["device"]\nexclude = ["a/"]\nextend-exclude = ["b/"]')
    file = written("torchlint.toml", 'extend = "base.toml"\nextend-select = ["kept-graph"]\nextend-exclude = ["c/"]')

    config = load_config(file)

    assert (config.select, config.extend_select) == (("sync",), ("device", "kept-graph"))
    assert config.exclude == ("a/", "b/", "c/")


def test_a_list_that_is_written_replaces_the_one_that_is_extended() -> None:
    written("base.toml", 'exclude = ["a/"]\nextend-exclude = ["b/"]')
    file = written("torchlint.toml", 'extend = "base.toml"\nexclude = []')

    assert load_config(file).exclude == ("b/",)


def test_a_nearer_preset_goes_before_what_is_selected_farther_away() -> None:
    written("base.toml", 'select = ["sync"]\nmin-confidence = "high"')
    file = written("torchlint.toml", 'extend = "base.toml"\npreset = "all"')

    config = load_config(file)

    assert (config.selected, config.confidence) == (("all",), Confidence.LOW)


def test_a_preset_is_refined_where_it_stands() -> None:
    config = load_config(written("torchlint.toml", 'preset = "strict"\nselect = ["sync"]'))

    assert (config.selected, config.confidence) == (("sync",), Confidence.MEDIUM)


def test_patterns_mean_what_they_mean_in_the_file_that_holds_them(project: Path) -> None:
    written("shared/base.toml", 'exclude = ["data/", "/old", "a/b", "!keep.py"]\n[per-file-ignores]\n"*.py" = ["sync"]')
    file = written("net/torchlint.toml", 'extend = "../shared/base.toml"\nextend-exclude = ["/mine"]')

    config = load_config(file)

    assert config.patterns_from == project
    assert config.exclude == ("/shared/**/data/", "/shared/old", "/shared/a/b", "!/shared/**/keep.py", "/net/mine")
    assert config.per_file_ignores == (("/shared/**/*.py", ("sync",)),)


def test_a_folder_whose_name_looks_like_a_pattern_is_meant_itself(project: Path) -> None:
    written("a[1]*/base.toml", 'exclude = ["data/"]')
    file = written("torchlint.toml", 'extend = "a[1]*/base.toml"')

    assert load_config(file).exclude == (r"/a\[1]\*/**/data/",)


def test_what_is_extended_may_be_a_pyproject_and_extend_more() -> None:
    written("top.toml", 'fail-on = "error"')
    written("pyproject.toml", '[tool.torchlint]\nextend = "top.toml"\nignore = ["sync"]')
    file = written("net/torchlint.toml", 'extend = "../pyproject.toml"')

    config = load_config(file)

    assert (config.fail_on, config.ignore, config.file) == (Severity.ERROR, ("sync",), file)


def test_a_circle_is_told_where_it_closes() -> None:
    written("b.toml", 'extend = "torchlint.toml"')

    told = refusal('extend = "b.toml"', "torchlint.toml").split("\n")

    assert told[0] == "invalid configuration in b.toml"
    assert told[4].endswith("`extend` goes in a circle: torchlint.toml extends b.toml extends torchlint.toml")


def test_a_file_that_extends_itself_is_a_circle() -> None:
    told = refusal('extend = "./torchlint.toml"', "torchlint.toml")

    assert "`extend` goes in a circle: torchlint.toml extends torchlint.toml" in told


def test_a_file_that_is_not_there_is_told_where_it_is_named() -> None:
    Path("net").mkdir()

    told = refusal('ignore = []\nextend = "../base.toml"', "net/torchlint.toml")

    assert " --> net/torchlint.toml:2:10" in told
    assert "`extend` leads to base.toml, which is no file" in told


def test_mistakes_in_what_is_extended_are_told_there() -> None:
    written("base.toml", 'selec = ["sync"]')

    assert refusal('extend = "base.toml"', "torchlint.toml").startswith("invalid configuration in base.toml\n")


def test_a_line_of_the_command_line_goes_before_every_file(project: Path) -> None:
    file = written("torchlint.toml", 'fail-on = "error"\nignore = ["sync"]')

    config = load_config(file, [inline_layer('fail-on = "info"', project), Layer(project, preset="all")])

    assert (config.fail_on, config.ignore, config.selected) == (Severity.INFO, ("sync",), ("all",))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('fail-on = "infos"', "`fail-on` cannot be `infos`; did you mean `info`?"),
        ('extend = "base.toml"', "`extend` is for files"),
        ("fail-on =", "--config is not valid TOML: invalid value"),
    ],
)
def test_a_line_of_the_command_line_is_read_as_closely_as_a_file(line: str, words: str, project: Path) -> None:
    with pytest.raises(UsageError) as refused:
        inline_layer(line, project)

    assert words in str(refused.value)
