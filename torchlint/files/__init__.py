"""Files on disk: which of them are linted, how untrusted ones are opened, and how one is written."""
