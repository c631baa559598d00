"""The files of a project: which there are, what an import names, who calls and who inherits what."""
