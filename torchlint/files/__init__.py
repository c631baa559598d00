"""Files on disk: which of them are to be linted, how somebody else's are opened, and how one is written."""
