"""Detectors of the rules on modules."""
