"""A configuration is taken as it is written, or refused with every mistake in it, to the letter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.config.refused import refusal
from torchlint import Confidence, Severity, __version__
from torchlint.config import Config, default_config, load_config
from torchlint.config.fields import FIELDS, objection
from torchlint.errors import UsageError


def test_every_setting_is_taken(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text("""
[tool.torchlint]
select = ["sync", "hardcoded-cuda", "all", "unused-ignore", "source"]
ignore = []
exclude = ["data/", "!data/keep"]
target-torch = "2.4.1"
required-version = ">=0.1,<99"
preset = "strict"
extend-select = ["device"]
extend-exclude = ["old/"]
force-exclude = true
respect-gitignore = false
min-confidence = "high"
fail-on = "error"
baseline = "known.json"
output-format = "concise"
group = false
site = "https://docs.company.com/torchlint"
unsafe-fixes = true
fixable = ["all"]
unfixable = ["sync"]

[tool.torchlint.severity]
sync = "info"

[tool.torchlint.per-file-ignores]
"tests/**" = ["sync"]
"demo.py" = ["all"]

[tool.torchlint.rules.hardcoded-cuda]
""")

    config = load_config(file)

    assert config == Config(
        root=project,
        file=file,
        select=("sync", "hardcoded-cuda", "all", "unused-ignore", "source"),
        ignore=(),
        exclude=("data/", "!data/keep", "old/"),
        preset="strict",
        extend_select=("device",),
        force_exclude=True,
        respect_gitignore=False,
        severity={"sync": Severity.INFO},
        min_confidence=Confidence.HIGH,
        fail_on=Severity.ERROR,
        baseline=project / "known.json",
        output_format="concise",
        group=False,
        site="https://docs.company.com/torchlint/",
        unsafe_fixes=True,
        fixable=("all",),
        unfixable=("sync",),
        per_file_ignores=(("tests/**", ("sync",)), ("demo.py", ("all",))),
        target_torch=(2, 4),
        rule_options={"hardcoded-cuda": {}},
    )


def test_the_keys_of_our_own_file_need_no_table(project: Path) -> None:
    file = project / "torchlint.toml"
    file.write_text('ignore = ["sync"]\n[rules]\n')

    assert load_config(file).ignore == ("sync",)


def test_an_empty_file_settles_nothing(project: Path) -> None:
    file = project / "torchlint.toml"
    file.write_text("")

    assert load_config(file) == Config(project, file)
    assert default_config(project) == Config(project)


def test_nothing_selected_is_not_everything_by_default(project: Path) -> None:
    file = project / "torchlint.toml"
    file.write_text("select = []")

    assert load_config(file).select == ()


def test_a_byte_order_mark_and_windows_newlines_are_read_over(project: Path) -> None:
    file = project / "torchlint.toml"
    file.write_bytes(b'\xef\xbb\xbfignore = ["sync"]\r\nselect = ["all"]\r\n')

    assert load_config(file).select == ("all",)


def test_a_file_is_shown_from_where_torchlint_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "sub").mkdir()
    (project / "torchlint.toml").write_text("select = 1")
    monkeypatch.chdir(project / "sub")

    with pytest.raises(UsageError, match="invalid configuration in /") as refused:
        load_config(project / "torchlint.toml")

    assert str(refused.value).endswith(f"1 mistake in {project.as_posix()}/torchlint.toml")


def test_every_mistake_is_told_at_once_and_in_order() -> None:
    told = refusal("""\
[project]
name = "net"

[tool.torchlint.per-file-ignores]
"tests/*" = "sync"

[tool.torchlint]
selec = ["sync"]
target-torch = "two"
ignore = [
    "sync",
    "hardcodedcuda",  # before the paper
]
""")

    assert (
        told
        == """\
invalid configuration in pyproject.toml
  --> pyproject.toml:5:13
   |
 5 | "tests/*" = "sync"
   |             ^^^^^^ `tool.torchlint.per-file-ignores."tests/*"` must be a list of strings, got a string
  --> pyproject.toml:8:1
   |
 8 | selec = ["sync"]
   | ^^^^^ unknown key `tool.torchlint.selec`; did you mean `select`?
  --> pyproject.toml:9:16
   |
 9 | target-torch = "two"
   |                ^^^^^ `tool.torchlint.target-torch` must be a version of torch such as "2.4", got "two"
  --> pyproject.toml:12:5
   |
12 |     "hardcodedcuda",  # before the paper
   |     ^^^^^^^^^^^^^^^ unknown rule `hardcodedcuda`; did you mean `hardcoded-cuda`?
4 mistakes in pyproject.toml"""
    )


@pytest.mark.parametrize(
    ("line", "marked", "words"),
    [
        ('select = "sync"', '"sync"', "`select` must be a list of strings, got a string"),
        ('select = ["sync", 3]', "3", "`select[1]` must be a string, got an integer"),
        ("select = [[]]", "[]", "`select[0]` must be a string, got a list"),
        ("ignore = true", "true", "`ignore` must be a list of strings, got a boolean"),
        ("exclude = 2024-01-01", "2024-01-01", "`exclude` must be a list of strings, got a date or time"),
        ("exclude = { a = 1.5 }", "{ a = 1.5 }", "`exclude` must be a list of strings, got a table"),
        ('exclude = ["ok", "!"]', '"!"', "`!` is not a pattern as in .gitignore"),
        ('exclude = ["[z-a]"]', '"[z-a]"', "`[z-a]` is not a pattern as in .gitignore"),
        ('ignore = ["Sync"]', '"Sync"', "unknown rule `Sync`; did you mean `sync`?"),
        ('ignore = ["kept_graph"]', '"kept_graph"', "unknown rule `kept_graph`; did you mean `kept-graph`?"),
        ('ignore = ["E501"]', '"E501"', "unknown rule `E501`; `torchlint rules` lists them all"),
        ("target-torch = 2.4", "2.4", '`target-torch` must be a string such as "2.4", got a float'),
        ('target-torch = "2"', '"2"', '`target-torch` must be a version of torch such as "2.4", got "2"'),
        ('target-torch = ">=2.4"', '">=2.4"', '`target-torch` must be a version of torch such as "2.4", got ">=2.4"'),
        ("per-file-ignores = []", "[]", "`per-file-ignores` must be a table, got a list"),
        ('per-file-ignores = {"a" = ["x y"]}', '"x y"', "unknown rule `x y`; `torchlint rules` lists them all"),
        ("target_torch = 1", "target_torch", "unknown key `target_torch`; did you mean `target-torch`?"),
        ("x = 1", "x", f"unknown key `x`; there are {', '.join(FIELDS)}"),
        ("min-confidence = 1", "1", "`min-confidence` must be a string, got an integer"),
        ('min-confidence = "hi"', '"hi"', "`min-confidence` cannot be `hi`; did you mean `high`?"),
        ('preset = "loud"', '"loud"', "`preset` cannot be `loud`; there are default, strict, all"),
        ('fail-on = "warn"', '"warn"', "`fail-on` cannot be `warn`; did you mean `warning`?"),
        ('severity.snyc = "error"', "snyc", "unknown rule `snyc`; did you mean `sync`?"),
        ('severity.sync = "bad"', '"bad"', "`severity.sync` cannot be `bad`; there are error, warning, info"),
        ("unsafe-fixes = 1", "1", "`unsafe-fixes` must be true or false, got an integer"),
        ('baseline = ""', '""', "`baseline` must not be empty"),
        ('unfixable = ["snyc"]', '"snyc"', "unknown rule `snyc`; did you mean `sync`?"),
        ('"a b" = 1', '"a b"', f'unknown key `"a b"`; there are {", ".join(FIELDS)}'),
        ("rules = 1", "1", "`rules` must be a table, got an integer"),
        ("rules.hardcoded-cud = {}", "hardcoded-cud", "unknown rule `hardcoded-cud`; did you mean `hardcoded-cuda`?"),
        ("rules.hardcoded-cuda = 0", "0", "`rules.hardcoded-cuda` must be a table, got an integer"),
        ("rules.kept-graph.x = 0", "x", "`kept-graph` has no options"),
        ("rules.sync = {}", "sync", "`sync` is not a rule, and only rules have options"),
        ('ignore = ["深い"]', '"深い"', "unknown rule `深い`; `torchlint rules` lists them all"),
    ],
)  # fmt: skip
def test_a_mistake_is_marked_where_it_stands(line: str, marked: str, words: str) -> None:
    column = line.rindex(marked)

    told = refusal(line, "torchlint.toml").split("\n")

    assert told == [
        "invalid configuration in torchlint.toml",
        f" --> torchlint.toml:1:{column + 1}",
        "  |",
        f"1 | {line}",
        f"  | {' ' * column}{'^' * (len(marked) + sum(character > '⺀' for character in marked))} {words}",
        "1 mistake in torchlint.toml",
    ]


def test_another_torchlint_is_asked_for_in_vain() -> None:
    asked = f"`required-version` asks for torchlint >=99, and this is {__version__}"
    unclear = '`required-version` must be versions of torchlint such as ">=0.1", got "new"'

    assert asked in refusal('required-version = ">=99"', "torchlint.toml")
    assert unclear in refusal('required-version = "new"', "torchlint.toml")


@pytest.mark.parametrize(
    ("wanted", "is_met"),
    [
        (">=1.2", True),
        (">=1.2.3.1", False),
        (">1.2.3", False),
        ("<2, >=1", True),
        ("<=1.2", False),
        ("==1.2.3", True),
        ("1.2.3.0", True),
        ("!=1.2.3", False),
    ],
)
def test_a_version_is_one_of_those_that_are_wanted_or_not(wanted: str, is_met: bool) -> None:
    assert (objection(wanted, running="1.2.3") == "") is is_met


def test_of_a_value_over_several_lines_the_first_is_marked() -> None:
    told = refusal("target-torch = [\n  2,\n]", "torchlint.toml")

    assert (
        told
        == """\
invalid configuration in torchlint.toml
 --> torchlint.toml:1:16
  |
1 | target-torch = [
  |                ^ `target-torch` must be a string such as "2.4", got a list
1 mistake in torchlint.toml"""
    )


def test_a_terminal_obeys_nothing_in_a_configuration() -> None:
    told = refusal('ignore = ["\u202e"] # \u009b31m', "torchlint.toml")

    assert not {"\u202e", "\u009b"} & set(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('select = ["sync"\nx = 1', "unclosed array\n  --> torchlint.toml:2:1"),
        ("x = ", "invalid value\n  --> torchlint.toml:1:5"),
        ("[a\nb = 1", "expected ']' at the end of a table declaration\n  --> torchlint.toml:1:3"),
    ],
)
def test_what_is_not_toml_is_told_with_its_place(text: str, told: str) -> None:
    assert refusal(text, "torchlint.toml") == f"torchlint.toml is not valid TOML: {told}"


def test_a_number_with_too_many_digits_is_not_toml() -> None:
    assert refusal(f"x = {'1' * 5000}", "torchlint.toml").startswith("torchlint.toml is not valid TOML: ")


def test_depth_is_refused_and_not_fallen_into() -> None:
    told = refusal(f"x = {'[' * 5000}{']' * 5000}", "torchlint.toml")

    # Newer parsers count the brackets themselves, and say so in words of their own.
    assert re.match(r"torchlint\.toml is (nested too deeply to be read$|not valid TOML: .*nested)", told)


def test_a_key_of_thousands_of_parts_is_refused_before_it_is_parsed() -> None:
    parts = "a." * 500_000
    quoted = '"a" . ' * 500_000

    for text in (f"[{parts}a]", f"x = {{{quoted}a = 1}}"):
        assert refusal(text, "torchlint.toml") == "torchlint.toml is nested too deeply to be read"


def test_what_is_not_utf_8_is_told_with_its_place(project: Path) -> None:
    file = project / "torchlint.toml"
    file.write_bytes(b"# ok\n# caf\xe9")

    with pytest.raises(UsageError) as refused:
        load_config(file)

    assert str(refused.value) == "torchlint.toml is not valid UTF-8: byte 0xe9 at line 2, column 6"


def test_a_file_that_cannot_be_read_is_told(project: Path) -> None:
    (project / "folder.toml").mkdir()

    with pytest.raises(UsageError) as refused:
        load_config(Path("folder.toml"))
    with pytest.raises(UsageError) as absent:
        load_config(Path("absent.toml"))

    assert str(refused.value) == "cannot read folder.toml: is a directory"
    assert str(absent.value) == "cannot read absent.toml: no such file or directory"


def test_a_pyproject_without_our_table_is_no_configuration() -> None:
    assert refusal("[tool.ruff]") == "pyproject.toml has no table [tool.torchlint]"


def test_our_table_must_be_one() -> None:
    assert (
        refusal("tool.torchlint = 3").split("\n")[4]
        == "  |                  ^ `tool.torchlint` must be a table, got an integer"
    )


def test_our_own_file_has_no_table_of_tools() -> None:
    told = refusal("[tool.torchlint]\nignore = []", "torchlint.toml")

    assert told == "torchlint.toml has a table [tool.torchlint], as only pyproject.toml has: begin with its keys"
