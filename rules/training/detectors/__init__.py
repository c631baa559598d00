"""Detectors of the rules on training."""
