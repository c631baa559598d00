"""Print what two commits say of packages differently, in full: `python -m benchmarks.ecosystem.compare COMMIT`.

Both lint the same files: the fixtures and cases as they are now. What a commit said is kept, so that it is asked once.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.ecosystem.difference import difference, steps_changed
from benchmarks.ecosystem.options import CHECKOUT, NAMES, parser_of, subjects_of
from benchmarks.ecosystem.probing import all_said, checkout_at
from benchmarks.ecosystem.said import Said
from benchmarks.ecosystem.subjects import Subject
from torchlint.errors import UsageError


def main() -> int:
    """Return 0 whatever differs, 2 where there is nothing to compare."""
    options = _options()
    try:
        subjects = subjects_of(options, options.only)
        before, after = (_said(commit, subjects, options) for commit in (options.before, options.after))
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    for name, new in after.items():
        old = before[name]
        found = difference(old, new)
        print(f"{new.subject}: {found.summary}", *found.lines, *steps_changed(old, new, options.percent), sep="\n")
    return 0


def _options() -> argparse.Namespace:
    parser = parser_of("benchmarks.ecosystem.compare", __doc__)
    add = parser.add_argument
    add("before", metavar="COMMIT", help="the commit to compare with")
    add("after", nargs="?", metavar="COMMIT", help="the commit that is compared; without it, the working tree")
    add("--only", nargs="+", choices=NAMES, default=[], metavar="package", help=f"of {', '.join(NAMES)}, only these")
    return parser.parse_args()


def _said(commit: str | None, subjects: Sequence[Subject], options: argparse.Namespace) -> dict[str, Said]:
    """Return what a commit's torchlint says by subject, without a commit that of the working tree."""
    with _checked_out(commit) as place:
        said = all_said(checkout_at(place, options.kept), subjects, options.jobs, is_repeated=False)
        found = {one.subject: one for one in said}
    return {subject.name: found[subject.name] for subject in subjects}


@contextmanager
def _checked_out(commit: str | None) -> Iterator[Path]:
    """Return a folder with a commit's files, which is there meanwhile."""
    if commit is None:
        yield CHECKOUT
        return
    if _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"):
        raise UsageError(f"git knows no commit `{commit}`")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch).resolve() / "checkout"
        if _git("worktree", "add", "--quiet", "--detach", str(place), commit):
            raise UsageError(f"git cannot check out `{commit}`")
        try:
            yield place
        finally:
            _git("worktree", "remove", "--force", str(place))


def _git(*arguments: str) -> int:
    command = ["git", "-C", str(CHECKOUT), *arguments]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
