"""Detectors of the rules on devices."""
