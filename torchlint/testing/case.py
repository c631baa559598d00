"""A program of a rule, linted and fixed in isolation."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from torchlint.config import default_config, find_config, inferred_companions, load_config
from torchlint.engine import Job, lint
from torchlint.files.discovery import Target
from torchlint.finding import Finding
from torchlint.fixing import fix_all
from torchlint.packs import home_of
from torchlint.programs import marks, unmarked
from torchlint.registry import builtin_rules, rules_of
from torchlint.report import FileReport
from torchlint.rule import Rule

_MAIN = "main.py"


class Mark(NamedTuple):
    """A finding that a program expects, or that a rule reports: a file below its folder, a line, a rule."""

    file: str
    line: int
    rule: str


@dataclass(frozen=True, slots=True)
class Case:
    """A program among the fixtures of a rule: a file, or a folder of several with a `main.py`."""

    rule: type[Rule]
    program: Path
    package: str

    def __str__(self) -> str:
        return f"{self.rule.name}/{self.program.name}"

    @property
    def kind(self) -> str:
        """Return the kind of program: `bad`, `good` or `fixed`."""
        return self.program.stem.partition("_")[0]

    def marked(self) -> set[Mark]:
        """Return what the comments `# error` mean; `# error: other-rule` if it is another rule that reports."""
        return {
            Mark(name, number, rule)
            for name, text in self._written().items()
            for number, rules in marks(text)
            for rule in rules or (self.rule.name,)
        }

    def reported(self) -> set[Mark]:
        """Return the findings of all rules that run: by default, because it is their program, or named in a mark."""
        return {Mark(finding.path, finding.span.line, finding.rule) for finding in self.findings(self._rules_asked())}

    def findings(self, rules: Sequence[type[Rule]] = (), target_torch: tuple[int, int] | None = None) -> list[Finding]:
        """Return the findings of rules in the program, its own one alone unless others are given, for some PyTorch."""
        return [finding for report in self.reports(rules, target_torch) for finding in report.findings]

    def reports(
        self, rules: Sequence[type[Rule]] = (), target_torch: tuple[int, int] | None = None
    ) -> list[FileReport]:
        """Return the same by files, with their lines, as every output format takes it."""
        with self._alone(self._written(), rules or (self.rule,)) as job:
            return _reports(job if target_torch is None else replace(job, target_torch=target_torch))

    def fixed(self) -> dict[str, str]:
        """Return the files of the program, without its marks, after every fix of its rule was made."""
        with self._alone(self.texts(), (self.rule,)) as job:
            reports = {report.path: report for report in _reports(job)}
            contents = {target.path: target.path.read_bytes() for target in job.targets}
            changed = {change.path: change.after for change in fix_all(job, contents, reports, lambda _: True)}
            after = contents | changed
            return {target.shown: after[target.path].decode("utf-8") for target in job.targets}

    def texts(self) -> dict[str, str]:
        """Return the files of the program, without its marks."""
        return {name: unmarked(text) for name, text in self._written().items()}

    def twin(self, kind: str) -> Case:
        """Return the counterpart of this program: the `bad_x.py` of a `fixed_x.py`."""
        return Case(self.rule, self.program.with_name(self.program.name.replace(self.kind, kind, 1)), self.package)

    def _written(self) -> dict[str, str]:
        if not self.program.is_dir():
            return {_MAIN: self.program.read_text("utf-8")}
        files = sorted(self.program.rglob("*.py"))
        return {file.relative_to(self.program).as_posix(): file.read_text("utf-8") for file in files}

    def _rules_asked(self) -> list[type[Rule]]:
        known = builtin_rules() | {rule.name: rule for rule in rules_of(self.package)}
        asked = {self.rule.name, *(mark.rule for mark in self.marked())}
        return [rule for name, rule in known.items() if (rule.default and not rule.preview) or name in asked]

    @contextmanager
    def _alone(self, texts: dict[str, str], rules: Sequence[type[Rule]]) -> Iterator[Job]:
        """Put the program into an empty folder, with all other files of its own; settings among them apply."""
        with TemporaryDirectory() as scratch:
            root = Path(scratch, "program")
            if self.program.is_dir():
                shutil.copytree(self.program, root, ignore=shutil.ignore_patterns("__pycache__"))
            for name, text in texts.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, "utf-8", newline="")
            file = find_config(root)
            settings = load_config(file) if file is not None and file.parent == root else default_config(root)
            chosen = tuple(rule(settings.rule_options.get(rule.name)) for rule in rules)
            targets = tuple(Target(root / name, name, named=True) for name in texts)
            named = frozenset(target.path for target in targets)
            companions = inferred_companions(root)
            yield Job(root, targets, chosen, target_torch=settings.target_torch, companions=companions, named=named)


def cases(package: str, *kinds: str) -> list[Case]:
    """Return the programs of all rules of a package; of kinds such as `bad` and `fixed` if they are named."""
    found = ((rule, path) for rule in rules_of(package) for path in _programs(package, rule))
    every = sorted((Case(rule, path, package) for rule, path in found), key=str)
    return [case for case in every if not kinds or case.kind in kinds]


def folders_of(package: str) -> list[Path]:
    """Return the folders of the fixtures of a package of rules."""
    roots = importlib.import_module(home_of(package)).__path__
    return [folder for root in roots if (folder := Path(root, "fixtures")).is_dir()]


def _programs(package: str, rule: type[Rule]) -> Iterator[Path]:
    for folder in folders_of(package):
        if (own := folder / rule.name).is_dir():
            yield from (path for path in own.iterdir() if path.suffix == ".py" or (path / _MAIN).is_file())


def _reports(job: Job) -> list[FileReport]:
    reports: list[FileReport] = []
    lint([job], 1, reports.append)
    for report in reports:
        for one in (*report.errors, report.incompleteness):
            if one is not None:
                raise AssertionError(one.message)
    return reports
