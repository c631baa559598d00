"""Comments that silence findings: `# torchlint: ignore[…]` and `# noqa`."""

from torchlint.suppression.suppress import suppress

__all__ = ["suppress"]
