"""What trains otherwise than it says."""
