"""What a module computes otherwise than it says, or not at all."""
