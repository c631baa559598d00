"""Detectors of the rules on numbers."""
