"""Detectors of the rules on data and loaders."""
