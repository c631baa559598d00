"""`python -m torchlint`."""

from __future__ import annotations

if __name__ == "__main__":
    from torchlint.cli import main

    main()
