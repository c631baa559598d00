"""How long torchlint takes, measured beside what others take."""
