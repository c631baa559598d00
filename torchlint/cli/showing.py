"""`--show-settings` and `--show-files`: the settings and files of a run, without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from torchlint.cli.configs import Configs
from torchlint.cli.plan import Plan
from torchlint.config import LANGUAGES, Config, inferred_target
from torchlint.config.toml import toml, toml_key
from torchlint.engine import Target, project_root
from torchlint.files.display_path import shown
from torchlint.output.summary import counted
from torchlint.terminal.streams import tell
from torchlint.terminal.text import printable


def shown_files(plan: Plan) -> Iterator[str]:
    """Yield the names of the files to lint, a line each."""
    yield from (f"{printable(target.shown)}\n" for target in _targets(plan))


def shown_settings(plan: Plan, configs: Configs) -> Iterator[str]:
    """Yield the settings of each configuration that applies to files, as equivalent TOML."""
    found = list(_by_config(plan, configs)) or [(configs.of(Path.cwd()), [])]
    for number, (config, targets) in enumerate(found):
        yield "\n" if number else ""
        yield from (f"{line}\n" for line in _settings(config, targets, configs))


def tell_settings(plan: Plan, configs: Configs) -> None:
    """Print which settings apply to how many files."""
    for config, targets in _by_config(plan, configs):
        rules = counted(len(configs.rules(config)), "rule")
        tell(f"{_source(config)}: {counted(len(targets), 'file')}, {rules}, preset {config.preset}")


def _settings(config: Config, targets: Iterable[Target], configs: Configs) -> Iterator[str]:
    files = list(targets)
    yield f"# {_source(config)}: holds for {counted(len(files), 'file')}"
    for key, value in _values(config, files):
        yield f"{key} = {toml(value)}"
    rules = configs.rules(config)
    yield f"# runs {counted(len(rules), 'rule')}: {', '.join(rule.name for rule in rules)}"
    for name, table in _tables(config):
        if table:
            yield f"\n[{name}]"
            yield from (f"{toml_key(key)} = {toml(value)}" for key, value in table.items())


def _values(config: Config, files: Iterable[Target]) -> Iterator[tuple[str, object]]:
    root = next((project_root(file.path) for file in files), config.root)
    target = config.target_torch or inferred_target(root)
    yield "preset", config.preset
    yield "preview", config.preview
    if config.select is not None:
        yield "select", config.select
    yield "extend-select", config.extend_select
    yield "ignore", config.ignore
    if config.include:
        yield "include", config.include
    yield "exclude", config.exclude
    yield "force-exclude", config.force_exclude
    yield "respect-gitignore", config.respect_gitignore
    if target is not None:
        yield "target-torch", ".".join(map(str, target))
    yield "min-confidence", config.confidence.value
    yield "fail-on", config.fail_on.value if config.fail_on else "warning"
    if config.baseline is not None:
        yield "baseline", shown(config.baseline)
    if config.output_format is not None:
        yield "output-format", config.output_format
    if config.group is not None:
        yield "group", config.group
    if config.site is not None:
        yield "site", config.site
    if config.cache_dir is not None:
        yield "cache-dir", shown(config.cache_dir)
    yield "fix", config.fix
    yield "unsafe-fixes", config.unsafe_fixes
    if config.fixable is not None:
        yield "fixable", config.fixable
    yield "unfixable", config.unfixable


def _tables(config: Config) -> Iterator[tuple[str, dict[str, object]]]:
    yield "extension", dict.fromkeys(config.extensions, LANGUAGES[0])
    yield "per-file-ignores", dict(config.per_file_ignores)
    yield "severity", {name: grade.value for name, grade in config.severity.items()}
    for rule, options in config.rule_options.items():
        yield f"rules.{rule}", dict(options)


def _by_config(plan: Plan, configs: Configs) -> Iterator[tuple[Config, list[Target]]]:
    def config_of(target: Target) -> Config:
        return configs.of(target.path.absolute().parent)

    ordered = sorted(_targets(plan), key=lambda target: _source(config_of(target)))
    for _, group in groupby(ordered, key=lambda target: config_of(target).file):
        targets = list(group)
        yield config_of(targets[0]), targets


def _targets(plan: Plan) -> list[Target]:
    return sorted((target for job in plan.jobs for target in job.targets), key=lambda target: target.shown)


def _source(config: Config) -> str:
    return shown(config.file) if config.file else "no configuration"
