"""The files of a project: their paths, the words in them, what an import names, and what answers depend on."""
