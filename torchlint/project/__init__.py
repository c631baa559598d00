"""The files of a project: where they are, what words they hold, what an import names, and what answers rest on."""
