"""What computes other numbers than it says."""
