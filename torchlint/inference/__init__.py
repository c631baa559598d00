"""What expressions may be, inferred backward and on demand."""
