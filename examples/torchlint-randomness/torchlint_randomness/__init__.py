"""Rules of torchlint on random numbers."""
