"""What trains otherwise than it seems to."""
