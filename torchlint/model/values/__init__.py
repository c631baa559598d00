"""What an expression may be, inferred backward and on demand."""
